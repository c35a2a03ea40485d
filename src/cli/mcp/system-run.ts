import type * as v from "valibot";
import { isCallError } from "../../client/call-error.ts";
import { type RunResult, runOnce } from "../../client/client.ts";
import { commandEntries } from "../../wire/params/command.ts";
import { exactly, oneOfThese } from "../../wire/schema.ts";
import type { CommandCall } from "../command.ts";
import { waitMs } from "../flag-values.ts";
import { connectOptions } from "../session.ts";
import { type ToolAnswer, told } from "./tool-answer.ts";

const { argv, command, cwd, env, timeoutMs, stdin } = commandEntries;
export const runInput = exactly({ argv, command, cwd, env, timeoutMs, stdin }, oneOfThese("argv", "command"));

export async function runSystem(input: v.InferOutput<typeof runInput>, call: CommandCall, signal: AbortSignal): Promise<ToolAnswer> {
  const sessionKey = call.text("session");
  const approvalTimeoutMs = waitMs(call);
  const about = {
    cwd: call.io.cwd,
    agentId: call.text("agent") ?? "mcp",
    ...(sessionKey === undefined ? {} : { sessionKey }),
    ...(approvalTimeoutMs === undefined ? {} : { approvalTimeoutMs }),
  };
  try {
    const options = { ...connectOptions(call, "gateway"), signal };
    // The daemon itself says what is wrong with neither or both of `argv` and `command`.
    return finished(await runOnce(options, { ...about, ...input, wait: true, stream: false }).result);
  } catch (error) {
    if (!isCallError(error)) throw error;
    const { code, message, data } = error;
    const extent = data["started"] === true ? "refused after a part of it had run" : "refused, nothing was started";
    return told(`${extent}: ${message} [${code}]`, { refused: { code, message } }, true);
  }
}

function finished(result: RunResult): ToolAnswer {
  const { exitCode, signal, timedOut, cancelled, stdout, stderr, stdoutTruncated, stderrTruncated, runId, decidedBy } = result;
  const ending = timedOut
    ? "timed out"
    : cancelled
      ? "cancelled"
      : typeof signal === "string"
        ? `ended by ${signal}`
        : `exit code ${exitCode}`;
  const parts = [
    `${stdoutTruncated ? "[the beginning is left out]\n" : ""}${stdout}`,
    ...(stderr === "" ? [] : [`[stderr]\n${stderrTruncated ? "[the beginning is left out]\n" : ""}${stderr}`]),
    `[${ending}]`,
  ];
  const structured = { runId, exitCode: exitCode ?? null, signal: signal ?? null, timedOut, cancelled, decidedBy };
  return told(parts.filter((part) => part !== "").join("\n"), structured, exitCode !== 0);
}
