import type { RunFinished } from "../approvals/events.ts";
import type { VerifiedExec } from "../binding/verify.ts";
import type { CancelSignal } from "../core/cancellation.ts";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { ok, type Result } from "../core/result.ts";
import { namedOf } from "../exec/escaped.ts";
import type { Finished, Unfinished } from "../exec/exec-host.ts";
import type { RunParams } from "../wire/params/run.ts";
import type { Asker } from "./asker.ts";
import { answerable, createOutputTail } from "./output-tail.ts";
import type { Claimed } from "./permit.ts";
import type { Prepared } from "./prepare.ts";
import type { World } from "./world.ts";

/** Resolves when the peer took it: that is what slows a child down for a slow reader. */
export type Notify = (method: string, params: JsonObject) => Promise<void>;

/** Gets everything ready while `spent` is still on its way to the disk. Nothing starts before it is there. */
export async function superviseRun(
  verified: VerifiedExec,
  prepared: Prepared,
  claimed: Claimed,
  params: RunParams,
  caller: { readonly asker: Asker; readonly signal: CancelSignal; readonly notify: Notify },
  world: World,
  spent: Promise<Result<void, Denial>>,
): Promise<Result<JsonObject, Denial>> {
  const { runId } = verified;
  const { credential } = caller.asker;
  const run = world.runs.add(runId, credential);
  const onGone = (): void => run.cancel();
  caller.signal.addEventListener("abort", onGone, { once: true });
  if (caller.signal.aborted) run.cancel();
  const { maxOutputBytes } = prepared.settings;
  const tails = { stdout: createOutputTail(maxOutputBytes), stderr: createOutputTail(maxOutputBytes) };
  let seq = 0;
  const about = { runId, agentId: prepared.agentId, sessionKey: prepared.asked.sessionKey, command: prepared.display.command };
  const tell = (topic: "exec.started" | "exec.finished", what: JsonObject): void => {
    if (world.hub.wants(topic)) world.hub.publish(topic, credential, { ...about, ...what });
  };
  const begin = async (): Promise<Result<void, Denial>> => {
    const outcome = await spent;
    if (!outcome.ok) return outcome;
    tell("exec.started", { decidedBy: claimed.decidedBy, approvalId: claimed.approvalId });
    if (params.stream) await caller.notify("exec.started", { runId });
    return outcome;
  };
  const mayStart = begin();
  // A launch that is refused before does not wait for it.
  mayStart.catch(() => undefined);
  try {
    const finished = await world.launch(verified, {
      mayStart,
      stdin: params.command.stdin,
      timeoutMs: Math.min(prepared.timeoutMs, claimed.timeoutMs ?? prepared.timeoutMs),
      signal: run.signal,
      minEnforcement: prepared.settings.minEnforcement ?? null,
      runAs: prepared.settings.runAs ?? null,
      output: async (stream, bytes) => {
        tails[stream].push(bytes);
        if (!params.stream && !world.hub.wants("exec.output")) return;
        const chunk = { runId, stream, seq, data: Buffer.from(bytes).toString("base64") };
        seq += 1;
        world.hub.publish("exec.output", credential, chunk);
        if (params.stream) await caller.notify("exec.output", chunk);
      },
    });
    // What was not used up was not run, and is refused like anything else.
    const outcome = await spent;
    if (!outcome.ok) return outcome;
    const record = finishedRecord(runId, finished);
    world.note(record);
    tell("exec.finished", recordJson(record));
    if (!finished.ok) return finished;
    const [stdout, stderr] = [answerable(tails.stdout), answerable(tails.stderr)];
    const { exitCode, signal, timedOut, cancelled, durationMs, enforcement, escaped } = finished.value;
    return ok({
      runId,
      exitCode,
      signal,
      timedOut,
      cancelled,
      durationMs,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutTruncated: stdout.truncated,
      stderrTruncated: stderr.truncated,
      stdoutBytes: tails.stdout.bytes(),
      stderrBytes: tails.stderr.bytes(),
      decidedBy: claimed.decidedBy,
      binding: verified.binding,
      enforcement,
      escaped: namedOf(escaped),
      // Last: whatever follows a spread is added to the copy one by one.
      ...(claimed.approvalId === null ? {} : { approvalId: claimed.approvalId }),
    });
  } finally {
    caller.signal.removeEventListener("abort", onGone);
    run.done();
  }
}

function finishedRecord(runId: VerifiedExec["runId"], finished: Result<Finished, Unfinished>): RunFinished {
  const end = finished.ok ? finished.value : (finished.failure.ended ?? NOT_STARTED);
  const { exitCode, signal, timedOut, cancelled, durationMs, enforcement, escaped } = end;
  const code = finished.ok ? null : finished.failure.code;
  const record: RunFinished = { type: "run.finished", runId, exitCode, signal, timedOut, cancelled, durationMs, enforcement, code };
  return escaped.length === 0 ? record : { ...record, escaped: namedOf(escaped) };
}

const NOT_STARTED = { exitCode: null, signal: null, timedOut: false, cancelled: false, durationMs: 0, enforcement: "none", escaped: [] };

function recordJson({ exitCode, signal, timedOut, cancelled, durationMs, code }: RunFinished): JsonObject {
  return { exitCode, signal, timedOut, cancelled, durationMs, code };
}
