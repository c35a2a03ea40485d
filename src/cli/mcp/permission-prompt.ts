/** A permission prompt of Claude Code, answered by the same judgement as its hook; only the envelope differs. */
import type * as v from "valibot";
import { connect } from "../../client/client.ts";
import { HOOK_ANSWER_SLACK_MS, WIRE_NAME_BYTES_MAX } from "../../core/limits.ts";
import { anyObject, loosely, text } from "../../wire/schema.ts";
import type { CommandCall } from "../command.ts";
import { waitMs } from "../flag-values.ts";
import { claudeCode } from "../hook/claude-code.ts";
import type { ToolCall, Verdict } from "../hook/format.ts";
import { judge } from "../hook/judge.ts";
import { boundCommand } from "../hook/rewrite.ts";
import { connectOptions } from "../session.ts";
import { type ToolAnswer, told } from "./tool-answer.ts";

export const permissionInput = loosely({ tool_name: text(1, WIRE_NAME_BYTES_MAX), input: anyObject });

/** A person's patience, not a hook's: nothing here runs out of time before the question itself does. */
const WAIT_DEFAULT_MS = 120_000;

export async function promptPermission(
  sent: v.InferOutput<typeof permissionInput>,
  call: CommandCall,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { tool_name, input } = sent;
  const payload = { hook_event_name: "PreToolUse", tool_name, tool_input: input, cwd: call.io.cwd, session_id: call.text("session") ?? "" };
  let verdict: Verdict;
  try {
    const tool = claudeCode.read(payload);
    if (typeof tool === "string") throw new Error(tool);
    verdict = await verdictOf(tool, call, signal);
  } catch (error) {
    verdict = { kind: "deny", reason: `countersign: ${error instanceof Error ? error.message : "something is wrong"}` };
  }
  const answer =
    verdict.kind === "allow"
      ? { behavior: "allow", updatedInput: verdict.command === null ? input : { ...input, command: verdict.command } }
      : { behavior: "deny", message: verdict.kind === "pass" ? UNANSWERED : verdict.reason };
  return told(JSON.stringify(answer), answer);
}

const UNANSWERED =
  "countersign answers for commands; the tool policy has nothing against this tool, but nobody approved it. " +
  "Allow it in the agent's own settings, or start `countersign mcp --allow-by-tool-policy`";

async function verdictOf(tool: ToolCall, call: CommandCall, signal: AbortSignal): Promise<Verdict> {
  const approvalTimeoutMs = waitMs(call) ?? WAIT_DEFAULT_MS;
  const agentId = call.text("agent") ?? "mcp";
  const either = AbortSignal.any([signal, AbortSignal.timeout(approvalTimeoutMs + HOOK_ANSWER_SLACK_MS)]);
  const client = await connect({ ...connectOptions(call, "gateway"), signal: either });
  try {
    const verdict = await judge(tool, client, {
      agentId,
      approvalTimeoutMs,
      channel: "MCP permission prompt",
      askInTool: false,
      signal: either,
      rewrite: (shell, approvalId) => boundCommand(shell, approvalId, agentId, call),
    });
    const byPolicy = verdict.kind === "pass" && call.has("allow-by-tool-policy");
    return byPolicy ? { kind: "allow", reason: "the tool policy allows it", command: null } : verdict;
  } finally {
    client.close();
  }
}
