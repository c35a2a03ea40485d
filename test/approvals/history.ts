/** Histories of few credentials, agents and keys, so that they meet: what a journal could say, whether or not admission would let it come so far. */
import * as fc from "fast-check";
import type { JournalEvent } from "../../src/approvals/events.ts";
import { emptyLedger, fold, type Ledger, prune } from "../../src/approvals/ledger.ts";
import { restore, snapshotOf } from "../../src/approvals/snapshot.ts";
import { type AgentId, type ApprovalId, isAgentId, isApprovalId, isRunId, type RunId } from "../../src/core/ids.ts";
import { isJsonObject } from "../../src/core/json.ts";
import { sha256Of } from "../../src/core/sha256.ts";

export const CREDENTIALS = ["gateway", "another"] as const;
export const AGENTS: readonly AgentId[] = [agent("main"), agent("ops"), agent("gateway")];
export const REQUEST_KEYS = ["first", "second"] as const;

export type Step = { readonly afterMs: number } & (
  | { readonly does: "ask"; readonly credential: string; readonly agentId: AgentId; readonly requestKey: string | null }
  | { readonly does: "allow-once" | "deny" | "approval.expired" | "approval.no-route" | "cancel" | "start"; readonly which: number }
  | { readonly does: "prune"; readonly settledMs: number; readonly settledBytesMax: number }
  | { readonly does: "carry" }
);

const afterMs = fc.constantFrom(0, 1, 1_000, 30_000, 59_999, 60_000);
const ask = fc.record({
  does: fc.constant("ask" as const),
  afterMs,
  credential: fc.constantFrom(...CREDENTIALS),
  agentId: fc.constantFrom(...AGENTS),
  requestKey: fc.constantFrom(null, ...REQUEST_KEYS),
});
const change = fc.record({
  does: fc.constantFrom("allow-once", "deny", "approval.expired", "approval.no-route", "cancel", "start"),
  afterMs,
  which: fc.nat(),
});
const forget = fc.record({
  does: fc.constant("prune" as const),
  afterMs,
  settledMs: fc.constantFrom(0, 60_000),
  settledBytesMax: fc.constantFrom(0, 1_000),
});
const carry = fc.record({ does: fc.constant("carry" as const), afterMs });

export const history: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: ask },
    { weight: 8, arbitrary: change },
    { weight: 1, arbitrary: forget },
    { weight: 1, arbitrary: carry },
  ),
  { minLength: 1, maxLength: 60 },
);

/** Plays a history and shows the ledger after every step. A step that is `carry` goes on with what a new daemon would read. */
export function play(steps: readonly Step[], look: (ledger: Ledger, nowMs: number) => void): void {
  const asked: ApprovalId[] = [];
  let ledger = emptyLedger();
  let nowMs = 1_000_000;
  for (const step of steps) {
    nowMs += step.afterMs;
    if (step.does === "carry") ledger = carried(ledger);
    else if (step.does === "prune") prune(ledger, nowMs, step);
    else fold(ledger, eventOf(step, asked, nowMs), nowMs);
    look(ledger, nowMs);
  }
}

function carried(ledger: Ledger): Ledger {
  const state: unknown = JSON.parse(JSON.stringify(snapshotOf(ledger)));
  // What was read before a snapshot is replaced by it.
  const next = emptyLedger();
  fold(next, request(approvalIdOf(0xffff), { credential: "gateway", agentId: agent("main"), requestKey: "first" }, 0), 0);
  if (!isJsonObject(state) || !restore(next, state)) throw new Error("a snapshot could not be read back");
  return next;
}

function eventOf(step: Exclude<Step, { readonly does: "prune" | "carry" }>, asked: ApprovalId[], nowMs: number): JournalEvent {
  if (step.does === "ask") {
    asked.push(approvalIdOf(asked.length));
    return request(approvalIdOf(asked.length - 1), step, nowMs + 120_000);
  }
  const id = asked[step.which % asked.length] ?? approvalIdOf(0);
  switch (step.does) {
    case "allow-once":
    case "deny":
      return { type: "approval.decided", id, decision: step.does, by: "operator", reason: null };
    case "approval.expired":
    case "approval.no-route":
      return { type: "approval.expired", id, code: step.does };
    case "cancel":
      return { type: "approval.cancelled", id, by: "gateway" };
    case "start":
      return { type: "run.starting", runId: RUN, ...REST, credential: "gateway", decidedBy: "x", approvalId: id, token: null, grants: [] };
  }
}

export type Asker = { readonly credential: string; readonly agentId: AgentId; readonly requestKey: string | null };

export function request(id: ApprovalId, { credential, agentId, requestKey }: Asker, expiresAtMs: number): JournalEvent {
  return { type: "approval.requested", id, ...REST, credential, agentId, requestKey, expiresAtMs, recordSha256: sha256Of(id) };
}

/** Every other one begins alike, so that a prefix can be ambiguous. */
export function approvalIdOf(number: number): ApprovalId {
  const id = `${number % 2 === 0 ? "aaaaaaaa" : "bbbbbbbb"}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
  if (!isApprovalId(id)) throw new Error(`not an approval: ${id}`);
  return id;
}

export function agent(name: string): AgentId {
  if (!isAgentId(name)) throw new Error(`not an agent: ${name}`);
  return name;
}

const RUN = run("00000000-0000-4000-8000-000000000000");
const REST = { agentId: agent("main"), sessionKey: "s", binding: "sha256:", command: "/bin/true" };

function run(id: string): RunId {
  if (!isRunId(id)) throw new Error(`not a run: ${id}`);
  return id;
}
