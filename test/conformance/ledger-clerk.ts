import { createHash } from "node:crypto";
import { admit } from "../../src/approvals/admit.ts";
import type { Approval } from "../../src/approvals/approval.ts";
import type { Decision, JournalEvent } from "../../src/approvals/events.ts";
import { findApproval } from "../../src/approvals/find.ts";
import { emptyLedger, fold, type Ledger } from "../../src/approvals/ledger.ts";
import { resolution, spendable } from "../../src/approvals/transition.ts";
import type { Denial } from "../../src/core/denial.ts";
import { type ApprovalId, isAgentId, isApprovalId, isRunId } from "../../src/core/ids.ts";
import { fail, ok, type Result } from "../../src/core/result.ts";
import { sha256Of } from "../../src/core/sha256.ts";

/**
 * Keeps a ledger as the daemon's desk does, on a clock that the vectors move: the same questions to the same functions, with the journal
 * replaced by nothing and every timer by `tick`.
 */
export class Clerk {
  readonly ledger: Ledger = emptyLedger();
  #nowMs = 0;

  /** Timers that are due at or before this time fire first. */
  tick(nowMs: number): void {
    this.#nowMs = nowMs;
    for (const approval of this.ledger.approvals.values()) {
      const dueMs = approval.state === "pending" ? approval.expiresAtMs : approval.state === "allowed" ? approval.usableUntilMs + 1 : null;
      if (dueMs !== null && dueMs <= nowMs) this.#write({ type: "approval.expired", id: approval.id, code: "approval.expired" }, dueMs);
    }
  }

  /** The name is the request key, so that asking twice is one question. */
  ask(id: ApprovalId, name: string, timeoutMs: number, binding = "sha256:"): Result<Approval, Denial> {
    const wanted = { credential: "gateway", agentId: MAIN, requestKey: name, binding };
    const earlier = admit(this.ledger, wanted, this.#nowMs);
    if (!earlier.ok) return earlier;
    if (earlier.value !== null) return ok(earlier.value);
    const expiresAtMs = this.#nowMs + timeoutMs;
    const asking = { ...wanted, id, sessionKey: "", command: name, expiresAtMs, recordSha256: sha256Of(name) };
    this.#write({ type: "approval.requested", ...asking });
    return ok(this.get(id));
  }

  /** `decide` when this call was the one that decided. */
  resolve(text: string, decision: Decision, by: string): Result<{ readonly id: ApprovalId; readonly was: "decide" | "same" }, Denial> {
    const found = findApproval(this.ledger, text);
    if (!found.ok) return found;
    const { id } = found.value;
    const step = resolution(found.value, decision, this.#nowMs);
    if (!step.ok) return step;
    if (step.value === "decide") this.#write({ type: "approval.decided", id, decision, by, reason: null });
    return ok({ id, was: step.value });
  }

  expire(id: ApprovalId, code: "approval.expired" | "approval.no-route"): boolean {
    if (this.ledger.approvals.get(id)?.state !== "pending") return false;
    this.#write({ type: "approval.expired", id, code });
    return true;
  }

  /** `before` is asked once the approval is known to be usable; what it refuses uses nothing up. */
  spend(id: ApprovalId, before: () => Denial | null = () => null): Result<void, Denial> {
    const found = findApproval(this.ledger, id);
    if (!found.ok) return found;
    const allowed = spendable(found.value, this.#nowMs);
    if (!allowed.ok) return allowed;
    const objection = before();
    if (objection !== null) return fail(objection);
    const { credential, agentId, sessionKey, binding, command, decision } = allowed.value;
    const run = { credential, agentId, sessionKey, binding, command, decidedBy: decision, approvalId: id, token: null, grants: [] };
    this.#write({ type: "run.starting", runId: RUN, ...run });
    return ok(undefined);
  }

  get(id: ApprovalId): Approval {
    const approval = this.ledger.approvals.get(id);
    if (approval === undefined) throw new Error(`the ledger lost ${id}`);
    return approval;
  }

  #write(event: JournalEvent, atMs = this.#nowMs): void {
    fold(this.ledger, event, atMs);
  }
}

/** A made-up id, always the same for the same text. */
export function idFor(text: string): ApprovalId {
  return toId(createHash("sha256").update(text).digest("hex"));
}

/** Thirty-two digits with the version and variant put where RFC 9562 has them. */
export function toId(digits: string): ApprovalId {
  const id = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
  if (!isApprovalId(id)) throw new Error(`not an id: ${id}`);
  return id;
}

const MAIN = agent("main");
const RUN = run("00000000-0000-4000-8000-000000000000");

function agent(name: string) {
  if (!isAgentId(name)) throw new Error(`not an agent: ${name}`);
  return name;
}

function run(id: string) {
  if (!isRunId(id)) throw new Error(`not a run: ${id}`);
  return id;
}
