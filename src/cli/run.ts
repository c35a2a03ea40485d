import { once } from "node:events";
import { isCallError } from "../client/call-error.ts";
import { type RunRequest, type RunResult, runOnce } from "../client/client.ts";
import { approvalToUse } from "./approval-to-use.ts";
import { askedCommand } from "./asked-command.ts";
import { type CommandCall, type Io, UsageError } from "./command.ts";
import { EXIT, exitCodeOfSignal, interruptionExit } from "./exit-code.ts";
import { waitMs } from "./flag-values.ts";
import { spanText } from "./moments.ts";
import { connectOptions } from "./session.ts";
import { warn } from "./tell.ts";

const WAITING = "countersign: waiting for somebody to answer; Ctrl-C gives up";
const WAITING_SAID_AFTER_MS = 400;

export async function run(call: CommandCall): Promise<number> {
  const params = { ...(await askedCommand(call)), ...(await permission(call)) };
  const options = connectOptions(call, "gateway");
  const { io } = call;
  if (call.has("json")) {
    const result = await runOnce(options, { ...params, stream: false }).result;
    io.out(JSON.stringify(result));
    return exitCodeOfRun(result, io);
  }
  const running = runOnce(options, params);
  // Only when it takes long enough to wonder: most commands are allowed already, and answer by running.
  const waiting = "wait" in params && io.stderr.isTTY ? setTimeout(() => io.err(WAITING), WAITING_SAID_AFTER_MS) : undefined;
  try {
    for await (const { stream, bytes } of running) {
      clearTimeout(waiting);
      await write(stream === "stdout" ? io.stdout : io.stderr, bytes, io.signal);
    }
  } catch (error) {
    if (!isCallError(error) || error.code !== "client.aborted") throw error;
  } finally {
    clearTimeout(waiting);
  }
  const result = await running.result;
  for (const line of remarks(result)) warn(io, `countersign: ${line}`);
  return exitCodeOfRun(result, io);
}

async function permission(call: CommandCall): Promise<Pick<RunRequest, "approvalId" | "approvalToken" | "wait" | "approvalTimeoutMs">> {
  const id = call.text("approval");
  const approvalToken = call.text("token");
  if (id !== undefined && approvalToken !== undefined) throw new UsageError("give either --approval or --token, not both");
  const approvalTimeoutMs = waitMs(call);
  return {
    ...(id === undefined ? {} : { approvalId: await approvalToUse(call, id) }),
    ...(approvalToken === undefined ? {} : { approvalToken }),
    ...(call.has("wait") || approvalTimeoutMs !== undefined ? { wait: true } : {}),
    ...(approvalTimeoutMs === undefined ? {} : { approvalTimeoutMs }),
  };
}

/** A reader who falls behind slows the command and never grows this process. */
async function write(stream: NodeJS.WriteStream, bytes: Buffer, signal: AbortSignal): Promise<void> {
  if (signal.aborted || stream.write(bytes)) return;
  await once(stream, "drain", { signal }).catch(() => {});
}

function remarks(result: RunResult): readonly string[] {
  return [
    ...(result.timedOut ? [`the command was ended after ${spanText(result.durationMs)}, its time limit`] : []),
    ...(result.escaped.length === 0
      ? []
      : [`${result.escaped.length} of its processes could not be ended: ${JSON.stringify(result.escaped)}`]),
  ];
}

/** As a shell would say it: 128+n for a signal, and for a Ctrl-C of ours the signal that we got. */
function exitCodeOfRun(result: RunResult, io: Io): number {
  if (result.timedOut) return EXIT.expired;
  const interrupted = interruptionExit(io);
  if (result.cancelled && interrupted !== null) return interrupted;
  if (typeof result.signal === "string") return exitCodeOfSignal(result.signal);
  return result.exitCode ?? EXIT.general;
}
