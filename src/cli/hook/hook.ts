/**
 * `countersign hook TOOL`: a payload on standard input, an answer on standard output. There is no way out of here but an answer, and no
 * mistake that is not a no: an agent takes a hook that failed for a hook that had nothing against it.
 */
import { connect } from "../../client/client.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { HOOK_ANSWER_SLACK_MS, HOOK_PAYLOAD_BYTES_MAX, HOOK_WAIT_DEFAULT_MS } from "../../core/limits.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import type { CommandCall } from "../command.ts";
import { waitMs } from "../flag-values.ts";
import { connectOptions } from "../session.ts";
import type { HookFormat, ToolCall, Verdict } from "./format.ts";
import { judge } from "./judge.ts";
import { boundCommand } from "./rewrite.ts";

export async function answerHook(call: CommandCall, format: HookFormat, agentDefault: string): Promise<number> {
  let tool: ToolCall | null = null;
  let verdict: Verdict;
  try {
    const read = format.read(await payloadOf(call));
    if (typeof read === "string") throw new Error(`the payload of the hook is not ${format.title}'s: ${read}`);
    tool = read;
    verdict = await verdictOf(tool, call, format, call.text("agent") ?? agentDefault);
  } catch (error) {
    verdict = { kind: "deny", reason: `countersign: ${error instanceof Error ? error.message : "something is wrong"}` };
  }
  const said = format.write(verdict, tool);
  if (said !== null) call.io.out(JSON.stringify(said));
  return 0;
}

async function verdictOf(tool: ToolCall, call: CommandCall, format: HookFormat, agentId: string): Promise<Verdict> {
  const approvalTimeoutMs = waitMs(call) ?? HOOK_WAIT_DEFAULT_MS;
  // A daemon that takes the question and never answers must not keep us until the agent's own patience is over.
  const signal = AbortSignal.timeout(approvalTimeoutMs + HOOK_ANSWER_SLACK_MS);
  const client = await connect({ ...connectOptions(call, "gateway"), signal });
  try {
    return await judge(tool, client, {
      agentId,
      approvalTimeoutMs,
      channel: format.title,
      askInTool: call.has("ask-in-tool"),
      signal,
      rewrite: (shell, approvalId) => (format.rewrites ? boundCommand(shell, approvalId, agentId, call) : null),
    });
  } finally {
    client.close();
  }
}

async function payloadOf(call: CommandCall): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const input: AsyncIterable<Buffer> = call.io.stdin;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > HOOK_PAYLOAD_BYTES_MAX) throw new Error(`the payload of the hook has more than ${HOOK_PAYLOAD_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const payload = parseStrictJson(textOf(Buffer.concat(chunks)));
  if (!payload.ok || !isJsonObject(payload.value)) throw new Error("the payload of the hook is not a JSON object");
  return payload.value;
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("the payload of the hook is not UTF-8");
  }
}
