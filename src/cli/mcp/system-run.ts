import type * as v from "valibot";
import { type CallCode, type CallError, isCallError } from "../../client/call-error.ts";
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
    const { code, message } = error;
    const started = hasStarted(error);
    return told(`${EXTENT[started]}: ${message} [${code}]`, { refused: { code, message, started } }, true);
  }
}

type Extent = "no" | "partly" | "unknown";

const EXTENT: Readonly<Record<Extent, string>> = {
  no: "refused, nothing was started",
  partly: "refused after a part of it had run",
  unknown: "it is not known whether it ran; look before you ask again",
};

/** The daemon's own refusals come before the start or say otherwise. A connection that broke, or a fault of ours, says nothing. */
function hasStarted({ code, data }: CallError): Extent {
  if (data["started"] === true) return "partly";
  return code === "internal" || LOST.has(code) ? "unknown" : "no";
}

/** What goes wrong after the call was sent; everything else of the client's own keeps it from being sent. */
const LOST: ReadonlySet<CallCode> = new Set(["client.closed", "client.aborted", "client.bad-answer"]);

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
