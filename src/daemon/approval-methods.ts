import type { Approval } from "../approvals/approval.ts";
import { findApproval, unknownApproval } from "../approvals/find.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { PAGE_BYTES_MAX, PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ParamsOf } from "../wire/methods.ts";
import { approvalJson, outcomeJson } from "./approval-json.ts";
import { answerTo, ask } from "./ask.ts";
import { type Asker, signatureOf } from "./asker.ts";
import { behindCursor } from "./page.ts";
import { prepare } from "./prepare.ts";
import type { RunCaller } from "./run-command.ts";
import type { World } from "./world.ts";

type Answer = Promise<Result<JsonObject, Denial>>;

/** Decides first: a question is put to a person only where the answer is neither yes nor no already. */
export async function requestApproval(params: ParamsOf<"exec.approval.request">, caller: RunCaller, world: World): Answer {
  const prepared = await prepare(params.command, caller.asker, world);
  if (!prepared.ok) return prepared;
  // The question is about what was found now; whoever runs it later opens everything again.
  world.release(prepared.value.evidence);
  const { judgement } = prepared.value;
  if (judgement.outcome === "allow") return ok({ decision: "not-needed" });
  if (judgement.outcome === "deny" && !judgement.liftedByApproval) {
    return fail(denial(judgement.code, `${judgement.reason}; no approval lifts that`, { source: judgement.source }));
  }
  if (judgement.outcome === "deny") {
    return fail(
      denial(judgement.code, `${judgement.reason}, and nobody is asked here; an operator can list it`, { source: judgement.source }),
    );
  }
  const { command, requestKey, approvalTimeoutMs, host, turnSourceChannel } = params;
  const options = { requestKey, approvalTimeoutMs, context: command.context, env: command.env, host, turnSourceChannel };
  const asked = await ask(prepared.value, caller.asker, options, world);
  if (!asked.ok) return asked;
  const { approval } = asked.value;
  if (params.twoPhase) return ok(firstPhase(approval));
  const answer = await answerTo(approval, caller.signal, world);
  return answer.ok ? outcome(answer.value, caller.asker, world) : answer;
}

export function firstPhase(approval: Approval): JsonObject {
  const { id, expiresAtMs } = approval;
  return approval.state === "expired" ? { status: "expired", id, reason: approval.code } : { status: "accepted", id, expiresAtMs };
}

export async function waitDecision(id: string, caller: RunCaller, world: World): Answer {
  const found = visible(id, caller.asker, world);
  if (!found.ok) return found;
  const answer = await answerTo(found.value, caller.signal, world);
  return answer.ok ? outcome(answer.value, caller.asker, world) : answer;
}

/** The token goes to the requester alone, and only while it could still be used. */
async function outcome(approval: Approval, asker: Asker, world: World): Answer {
  const { id, expiresAtMs } = approval;
  const answer = { id, ...outcomeJson(approval), expiresAtMs };
  if (approval.state !== "allowed" || approval.credential !== asker.credential) return ok(answer);
  return ok({ ...answer, approvalToken: await world.signToken(approval) });
}

export async function resolveApproval(params: ParamsOf<"exec.approval.resolve">, asker: Asker, world: World): Answer {
  const { id, decision, scope = "executable", expiresInMs, uses } = params;
  const bounds = {
    ...(expiresInMs === undefined ? {} : { expiresAt: world.clock.nowMs() + expiresInMs }),
    ...(uses === undefined ? {} : { usesLeft: uses }),
  };
  let stored: { readonly patterns: readonly string[]; readonly none: string | null } = { patterns: [], none: null };
  const resolved = await world.desk.resolve(id, {
    decision,
    by: signatureOf(asker),
    reason: params.reason ?? null,
    before: async (approval) => {
      const record = world.record(approval.id);
      if (record === undefined)
        return fail(denial("state.corrupt", `the record of approval \`${approval.id}\` is gone or was changed`, {}));
      if (decision !== "allow-always") return ok(undefined);
      const offer = record.grants[scope];
      stored = { patterns: offer.entries.map((entry) => entry.pattern), none: offer.none };
      if (offer.entries.length === 0) return ok(undefined);
      return world.addEntries(
        record.agentId,
        offer.entries.map((entry) => ({ ...entry, ...bounds })),
      );
    },
  });
  if (!resolved.ok) return resolved;
  const record = decision === "deny" ? undefined : world.record(resolved.value.id);
  if (record !== undefined) await world.rememberTexts(record);
  const outcomeOf = { id: resolved.value.id, ...outcomeJson(resolved.value) };
  return ok(decision === "allow-always" ? { ...outcomeOf, stored: stored.patterns, oneShot: stored.none } : outcomeOf);
}

export function listApprovals(params: ParamsOf<"exec.approval.list">, asker: Asker, world: World): Result<JsonObject, Denial> {
  const limit = Math.min(params.limit ?? PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX);
  const { approvals } = world.desk.ledger;
  // What waits is asked for often and is little; the rest is a whole day's, and somebody wants to read it.
  const listed = params.state === "pending" && params.cursor === undefined ? approvals.pending() : [...approvals.values()];
  const visibleToAsker = listed.filter((approval) => isVisible(approval, asker));
  // The ledger keeps the order of asking, so a cursor is the id of the last one seen. It is looked up before the
  // filter by state: what was pending on the last page may be decided by now, and the next page still begins behind it.
  const rest = behindCursor(visibleToAsker, params.cursor, ({ id }) => id);
  if (!rest.ok) return rest;
  const all = rest.value.filter(({ state }) => params.state === undefined || state === params.state);
  const page: Approval[] = [];
  const items: JsonObject[] = [];
  let bytes = 0;
  for (const approval of all.slice(0, limit)) {
    const item = approvalJson(approval, world.record(approval.id), asker.role);
    bytes += JSON.stringify(item).length;
    // A page is a line, and a line has its bound: fewer items rather than none at all.
    if (bytes > PAGE_BYTES_MAX && items.length > 0) break;
    page.push(approval);
    items.push(item);
  }
  const next = page.length < all.length ? page.at(-1)?.id : undefined;
  return ok({ approvals: items, ...(next === undefined ? {} : { next }) });
}

export function getApproval(id: string, asker: Asker, world: World): Result<JsonObject, Denial> {
  const found = visible(id, asker, world);
  if (!found.ok) return found;
  const record = world.record(found.value.id);
  const answer = approvalJson(found.value, record, asker.role);
  // Whoever asked knows the script, or has no business with it.
  return ok(record === undefined || asker.role !== "operator" ? answer : { ...answer, contents: world.textsOf(record) });
}

export async function cancelApproval(id: string, asker: Asker, world: World): Answer {
  const found = visible(id, asker, world);
  if (!found.ok) return found;
  const cancelled = await world.desk.cancel(found.value.id, signatureOf(asker));
  return cancelled.ok ? ok({ id: cancelled.value.id, ...outcomeJson(cancelled.value) }) : cancelled;
}

function visible(id: string, asker: Asker, world: World): Result<Approval, Denial> {
  const found = findApproval(world.desk.ledger, id);
  return found.ok && !isVisible(found.value, asker) ? fail(unknownApproval(id)) : found;
}

function isVisible(approval: Approval, asker: Asker): boolean {
  return asker.role === "operator" || approval.credential === asker.credential;
}
