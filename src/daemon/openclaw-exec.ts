import * as v from "valibot";
import { callerByToken } from "../auth/caller.ts";
import { isOpenclawMac } from "../auth/openclaw-mac.ts";
import type { CancelSignal } from "../core/cancellation.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { ok, type Result } from "../core/result.ts";
import { type ExecRequest, execFrame, type OpenclawDecision, parseExecRequest } from "../wire/openclaw.ts";
import type { RunParams } from "../wire/params/run.ts";
import { resolveApproval } from "./approval-methods.ts";
import { ask, stoppingDenial } from "./ask.ts";
import { type Asker, askerOf } from "./asker.ts";
import type { DialectExchange } from "./dialect.ts";
import type { OpenclawParts } from "./openclaw-parts.ts";
import { invalidExec, refusedExec } from "./openclaw-reason.ts";
import { prepare } from "./prepare.ts";
import { runCommand } from "./run-command.ts";
import { createSeenFrames } from "./seen-frames.ts";
import type { World } from "./world.ts";

/** The checks stand in the protocol's order: a client that is told `hmac` knows that its clock was right. */
export function createExec(parts: OpenclawParts): (exchange: DialectExchange) => Promise<JsonObject> {
  const seen = createSeenFrames(parts.startedAtMs);
  return async (exchange) => {
    const { frame } = exchange;
    const id = typeof frame["id"] === "string" ? frame["id"] : "";
    const nowMs = parts.wallMs();
    const { ts } = frame;
    if (typeof ts !== "number" || !Number.isSafeInteger(ts) || !seen.isTimely(ts, nowMs)) {
      return invalidExec(id, "ttl", "the frame is too old, too new, or from before the daemon's start; send a fresh one");
    }
    const signed = v.safeParse(execFrame, frame);
    const { gatewayToken } = parts.credentials();
    const caller = callerByToken(parts.credentials(), gatewayToken);
    if (!signed.success || !isOpenclawMac(gatewayToken, signed.output, signed.output.hmac) || caller === null) {
      await exchange.delayFailure();
      return invalidExec(id, "hmac", "the signature is wrong; check which token is used");
    }
    const { nonce, requestJson } = signed.output;
    switch (seen.take(nonce, ts, nowMs)) {
      case "seen":
        return invalidExec(id, "replay", "this frame was taken already; send a fresh one");
      case "full":
        return refusedExec(id, denial("overloaded", "too many frames in so short a time; send it again later"));
      case "fresh":
    }
    const request = parseExecRequest(requestJson);
    if (!request.ok) return invalidExec(id, "json", request.failure.message);
    const seat = exchange.admitted(caller);
    if (!seat.ok) return refusedExec(id, seat.failure);
    return run(id, request.value, askerOf(caller, null, exchange.peer), exchange.signal, parts);
  };
}

async function run(id: string, request: ExecRequest, asker: Asker, signal: CancelSignal, parts: OpenclawParts): Promise<JsonObject> {
  const { world } = parts;
  if (!request.shownAsRun) return invalidExec(id, "execution-plan-miss", "`rawCommand` does not stand for `command`; leave it out");
  if (request.needsScreenRecording) {
    return invalidExec(id, "permission:screenRecording", "no screen can be recorded here; leave `needsScreenRecording` out");
  }
  if (world.stopping.aborted) return refusedExec(id, stoppingDenial());
  if (request.forwarded === "deny") return refusedExec(id, denial("approval.denied", "the request itself says that it was denied"));
  const trusted = request.forwarded !== null && request.run.approval.kind === "none" && parts.trustForwarded();
  const params = trusted ? await withAnswer(request.run, request.forwarded, asker, world) : ok(request.run);
  if (!params.ok) return refusedExec(id, params.failure);
  const finished = await runCommand(params.value, { asker, signal, notify: async () => {} }, world, parts.consume);
  return finished.ok ? finishedExec(id, finished.value) : refusedExec(id, finished.failure);
}

/**
 * A decision that was made elsewhere is put down as what it is: a question asked and answered by the gateway, about what is found here and
 * now. From there on it is an approval like any other, bound, durable and good for one run. What needs no yes, or no yes can lift, goes on
 * without one.
 */
async function withAnswer(
  params: RunParams,
  decision: Exclude<OpenclawDecision, "deny"> | null,
  asker: Asker,
  world: World,
): Promise<Result<RunParams, Denial>> {
  const prepared = await prepare(params.command, asker, world);
  if (!prepared.ok || decision === null) return ok(params);
  world.release(prepared.value.evidence);
  const { judgement } = prepared.value;
  if (judgement.outcome === "allow" || (judgement.outcome === "deny" && !judgement.liftedByApproval)) return ok(params);
  const { context, env } = params.command;
  const about = { requestKey: null, approvalTimeoutMs: null, context, env, host: null, turnSourceChannel: null };
  const asked = await ask(prepared.value, asker, { ...about, answered: true }, world);
  if (!asked.ok) return asked;
  const { id } = asked.value.approval;
  const answered = await resolveApproval({ id, decision }, { ...asker, credential: `${asker.credential}, forwarded` }, world);
  return answered.ok ? ok({ ...params, approval: { kind: "id", id } }) : answered;
}

/** The road bounds both outputs so that they fit into a line together. */
function finishedExec(id: string, result: JsonObject): JsonObject {
  const { exitCode = null, timedOut = false, cancelled = false, signal = null, stdout = "", stderr = "" } = result;
  const error =
    timedOut === true ? "timed out" : cancelled === true ? "cancelled" : typeof signal === "string" ? `ended by ${signal}` : null;
  const payload = { exitCode, timedOut, success: exitCode === 0 && error === null, stdout, stderr, error };
  return { type: "exec-res", id, ok: true, payload };
}
