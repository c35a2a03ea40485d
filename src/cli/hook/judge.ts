/** Asks the daemon about one tool call. Whatever goes wrong on the way is thrown, and thrown is denied. */
import type { Client } from "../../client/client.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ToolCall, Verdict } from "./format.ts";

export interface Judging {
  readonly agentId: string;
  readonly approvalTimeoutMs: number;
  /** The program that asks, for the operator to see. */
  readonly channel: string;
  /** Leave to the tool's own prompt what the policy leaves open. */
  readonly askInTool: boolean;
  readonly signal: AbortSignal;
  /** The command that runs the same thing through the daemon, or `null` where the tool runs its own. */
  rewrite(call: ToolCall & { readonly kind: "shell" }, approvalId: string | null): string | null;
}

export async function judge(call: ToolCall, client: Client, judging: Judging): Promise<Verdict> {
  if (call.kind === "other") return judgeTool(call, client, judging);
  const { agentId, signal } = judging;
  const params = { command: call.command, cwd: call.cwd, agentId, sessionKey: call.sessionKey };
  return judging.askInTool ? judgeHere(call, params, client, judging) : judgeByOperator(call, params, client, signal, judging);
}

async function judgeTool(call: ToolCall & { readonly kind: "other" }, client: Client, { agentId, signal }: Judging): Promise<Verdict> {
  const { tool, args, sessionKey } = call;
  const said = await client.call("tools.evaluate", { tool, agentId, sessionKey, args }, signal);
  return said.allowed ? { kind: "pass" } : { kind: "deny", reason: `countersign: ${said.reason}` };
}

/** The daemon decides first, and puts to a person only what is neither yes nor no already. */
async function judgeByOperator(
  call: ToolCall & { readonly kind: "shell" },
  params: JsonObject,
  client: Client,
  signal: AbortSignal,
  judging: Judging,
): Promise<Verdict> {
  const { approvalTimeoutMs } = judging;
  const said = await client.call("exec.approval.request", { ...params, approvalTimeoutMs, turnSourceChannel: judging.channel }, signal);
  if (said.decision === "not-needed") return allow("the policy allows it", judging.rewrite(call, null));
  if (said.state === "allowed" && typeof said.id === "string") {
    return allow(`approved as ${said.id.slice(0, 8)}`, judging.rewrite(call, said.id));
  }
  return { kind: "deny", reason: `countersign: ${unanswered(said.state, said.reason)}` };
}

async function judgeHere(
  call: ToolCall & { readonly kind: "shell" },
  params: JsonObject,
  client: Client,
  judging: Judging,
): Promise<Verdict> {
  const { decision } = await client.call("system.run.prepare", params, judging.signal);
  switch (decision.outcome) {
    case "deny":
      return { kind: "deny", reason: `countersign: ${decision.reason}` };
    case "allow":
      return allow(decision.reason, judging.rewrite(call, null));
    case "ask":
      return { kind: "ask", reason: `countersign: ${decision.reason}. If you allow it here it is not bound: ${UNBOUND}` };
  }
}

const UNBOUND = "the agent starts it itself, and what is swapped in between goes unnoticed";

function allow(reason: string, command: string | null): Verdict {
  const bound = command === null ? `It is not bound: ${UNBOUND}` : "It runs through countersign, exactly as judged";
  return { kind: "allow", reason: `countersign: ${reason}. ${bound}`, command };
}

function unanswered(state: string | undefined, reason: string | null | undefined): string {
  if (reason === "approval.no-route") return "nobody is there to approve it; open `countersign watch` and try again";
  if (state === "denied") return `an operator said no${typeof reason === "string" && reason !== "" ? `: ${reason}` : ""}`;
  return state === "expired"
    ? "nobody answered in time; try again when somebody is there"
    : `it was not approved (${state ?? "no answer"})`;
}
