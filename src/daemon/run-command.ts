import type { RunStarting } from "../approvals/events.ts";
import { spendable } from "../approvals/transition.ts";
import { verify } from "../binding/verify.ts";
import type { CancelSignal } from "../core/cancellation.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { RunId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { decideFallback } from "../policy/decide.ts";
import type { RunParams } from "../wire/params/run.ts";
import { answerTo, approvalRequired, ask, stoppingDenial } from "./ask.ts";
import type { Asker } from "./asker.ts";
import type { Consume } from "./consume.ts";
import { type Claimed, claimApproval, claimById, claimByPolicy } from "./permit.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { type Notify, superviseRun } from "./supervise-run.ts";
import type { World } from "./world.ts";

export interface RunCaller {
  readonly asker: Asker;
  /** Fires when the connection is fully closed: nobody is left to hear the answer, so the run ends. */
  readonly signal: CancelSignal;
  readonly notify: Notify;
}

/**
 * The road, read this first. Each step turns a weaker thing into a stronger one or into a denial, and nothing may be skipped:
 * prepare (policy, plan, open and hash) → permit → verify → consume durably → launch what is held → supervise → record → answer.
 */
export async function runCommand(
  params: RunParams,
  caller: RunCaller,
  world: World,
  consume: Consume,
): Promise<Result<JsonObject, Denial>> {
  const prepared = await prepare(params.command, caller.asker, world);
  if (!prepared.ok) return refuse(prepared.failure, params, caller.asker, null, world);
  const claimed = await permitFor(prepared.value, params, caller, world);
  if (!claimed.ok) {
    world.release(prepared.value.evidence);
    return refuse(claimed.failure, params, caller.asker, prepared.value, world);
  }
  if (claimed.value.waited) {
    // Minutes may have passed. What was opened then proves nothing about now, so everything is looked up, opened and hashed anew.
    world.release(prepared.value.evidence);
    const again = await prepare(params.command, caller.asker, world);
    if (!again.ok) return refuse(again.failure, params, caller.asker, null, world);
    return runPrepared(again.value, claimed.value.claimed(again.value), params, caller, world, consume);
  }
  return runPrepared(prepared.value, claimed.value.claimed(prepared.value), params, caller, world, consume);
}

async function runPrepared(
  prepared: Prepared,
  claimed: Result<Claimed, Denial>,
  params: RunParams,
  caller: RunCaller,
  world: World,
  consume: Consume,
): Promise<Result<JsonObject, Denial>> {
  const { evidence } = prepared;
  const refused = (why: Denial): Result<never, Denial> => refuse(why, params, caller.asker, prepared, world);
  try {
    if (!claimed.ok) return refused(claimed.failure);
    const objection = overruling(prepared, claimed.value);
    if (objection !== null) return refused(objection);
    const longer = lengthened(params.command.timeoutMs, claimed.value.timeoutMs);
    if (longer !== null) return refused(longer);
    const unexpected = surprising(prepared, params.expectedBinding);
    if (unexpected !== null) return refused(unexpected);
    const runId = world.newRunId();
    const verified = verify(claimed.value.permit, runId, prepared.plan.asRequested, prepared.asked, evidence);
    if (!verified.ok) return refused(verified.failure);
    const { minEnforcement } = prepared.settings;
    const tooLow = minEnforcement === undefined ? null : world.objectionTo(verified.value, minEnforcement);
    if (tooLow !== null) return refused(tooLow);
    if (world.stopping.aborted) return refused(stoppingDenial());

    // Durable before the child exists: a crash between here and the start costs a second click, and never runs a command twice.
    const starting = startingRecord(runId, prepared, claimed.value, caller.asker);
    const spending = consume(claimed.value, starting, prepared).then(async (outcome) => {
      if (!outcome.ok) return outcome;
      await world.afterConsumption();
      recordUses(prepared, claimed.value, world);
      return outcome;
    });
    // Heard below; until then nobody else may take it for unheard.
    spending.catch(() => undefined);
    // One turn of the loop, and the disk is at work: it takes as long as getting ready does.
    await new Promise(setImmediate);
    const answer = await superviseRun(verified.value, prepared, claimed.value, params, caller, world, spending);
    const spent = await spending;
    return spent.ok ? answer : refused(spent.failure);
  } finally {
    world.release(evidence);
  }
}

interface Permitted {
  /** Whether a person was waited for in between. */
  readonly waited: boolean;
  claimed(prepared: Prepared): Result<Claimed, Denial>;
}

async function permitFor(prepared: Prepared, params: RunParams, caller: RunCaller, world: World): Promise<Result<Permitted, Denial>> {
  const { judgement } = prepared;
  if (params.approval.kind !== "none") {
    const claimed = await claimApproval(params.approval, caller.asker, prepared.agentId, world);
    return claimed.ok ? ok({ waited: false, claimed: () => claimed }) : claimed;
  }
  if (judgement.outcome === "allow") return ok({ waited: false, claimed: () => ok(claimByPolicy(judgement)) });
  if (judgement.outcome === "deny") {
    return fail(denial(judgement.code, `${judgement.reason}; an operator can list it or approve it`, { source: judgement.source }));
  }
  if (!params.wait) return fail(approvalRequired(prepared));
  return askAndWait(prepared, params, caller, world);
}

async function askAndWait(prepared: Prepared, params: RunParams, caller: RunCaller, world: World): Promise<Result<Permitted, Denial>> {
  const { command, approvalTimeoutMs } = params;
  const options = { requestKey: null, approvalTimeoutMs, context: command.context, env: command.env, host: null, turnSourceChannel: null };
  const asked = await ask(prepared, caller.asker, options, world);
  if (!asked.ok) return asked;
  // A person may take an hour. Until then nothing stays open, leased or copied for it: all of it is looked at anew afterwards.
  world.release(prepared.evidence);
  const answer = await answerTo(asked.value.approval, caller.signal, world);
  if (!answer.ok) return answer;
  const approval = answer.value;
  if (approval.state === "pending") {
    const { id } = approval;
    await world.desk.cancel(id, "the requester, who left");
    return fail(denial("approval.cancelled", "the connection closed before anyone answered", { id }));
  }
  if (approval.state !== "expired") {
    const usable = spendable(approval, world.clock.nowMs());
    if (!usable.ok) return usable;
    return ok({ waited: true, claimed: () => claimById(approval.id, caller.asker, world) });
  }
  return ok({
    waited: true,
    claimed: (now) => {
      const judgement = decideFallback(now.decideInput);
      if (judgement.outcome === "allow") return ok(claimByPolicy(judgement));
      return fail(
        denial(approval.code, `${judgement.reason}; ask again when someone is there`, { id: approval.id, source: judgement.source }),
      );
    },
  });
}

/** A person's yes lifts a miss; it does not lift a deny of the host's own. */
function overruling(prepared: Prepared, claimed: Claimed): Denial | null {
  const { judgement } = prepared;
  if (claimed.permit.kind === "policy" || judgement.outcome !== "deny" || judgement.liftedByApproval) return null;
  return denial(judgement.code, `${judgement.reason}; no approval lifts that`, { source: judgement.source });
}

/** A run may shorten the time that was approved. More of it is another question. */
function lengthened(askedMs: number | null, approvedMs: number | null): Denial | null {
  if (askedMs === null || approvedMs === null || askedMs <= approvedMs) return null;
  const details = { field: "timeoutMs", approved: approvedMs, found: askedMs };
  return denial(
    "wire.invalid-params",
    `\`timeoutMs\` may be at most the ${approvedMs} that were approved; send less or ask again`,
    details,
  );
}

function surprising(prepared: Prepared, expected: string | null): Denial | null {
  if (expected === null || expected === prepared.binding) return null;
  const details = { field: "binding", approved: expected, found: prepared.binding };
  return denial("binding.differs", "what would run is not what the request was bound to; prepare it again", details);
}

function startingRecord(runId: RunId, prepared: Prepared, claimed: Claimed, asker: Asker): RunStarting {
  const matched = claimed.permit.kind === "policy" ? claimed.permit.allow.matchedBy : [];
  return {
    type: "run.starting",
    runId,
    credential: asker.credential,
    agentId: prepared.agentId,
    sessionKey: prepared.asked.sessionKey,
    binding: prepared.binding,
    command: prepared.display.command,
    decidedBy: claimed.decidedBy,
    approvalId: claimed.approvalId,
    token: claimed.token,
    grants: matched.flatMap(({ entry }) => (entry !== null && prepared.decideInput.usesLeft(entry) !== null ? [entry] : [])),
  };
}

function recordUses(prepared: Prepared, { permit }: Claimed, world: World): void {
  if (permit.kind !== "policy") return;
  for (const { entry, path } of permit.allow.matchedBy) {
    if (entry === null) continue;
    world.recordUse({ key: entry, at: world.clock.nowMs(), command: prepared.display.command, resolvedPath: path ?? "" });
  }
}

function refuse(why: Denial, params: RunParams, asker: Asker, prepared: Prepared | null, world: World): Result<never, Denial> {
  world.noteDenied(why, params, asker, prepared);
  return fail(why);
}
