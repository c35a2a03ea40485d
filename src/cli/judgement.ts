/** What the daemon would say about a command, asked without running it; a plain no is a judgement too, and not an error of ours. */
import { type CallError, isCallError } from "../client/call-error.ts";
import type { CommandRequest } from "../client/requests.ts";
import type { Decision, Prepared, Results } from "../client/results.ts";
import type { JsonObject } from "../core/json.ts";
import type { CommandCall } from "./command.ts";
import { withClient } from "./session.ts";

/** An older daemon says less, and a plain no says only these three. */
export type Verdict = Pick<Decision, "outcome" | "code" | "reason"> & Partial<Decision>;

export interface Judgement {
  readonly decision: Verdict;
  /** `null` when the daemon said no before it looked at anything. */
  readonly prepared: Prepared | null;
  readonly json: JsonObject;
}

export async function judgementOf(call: CommandCall, command: CommandRequest): Promise<Judgement> {
  try {
    const prepared = await withClient(call, "gateway", (client) => client.call("system.run.prepare", command));
    return { decision: prepared.decision, prepared, json: { ...prepared } };
  } catch (error) {
    if (!isCallError(error) || !isAboutTheCommand(error)) throw error;
    const { source } = error.data;
    const decision: Verdict = {
      outcome: "deny",
      code: error.code,
      reason: error.message,
      ...(typeof source === "string" ? { source } : {}),
    };
    return { decision, prepared: null, json: { decision: { ...decision, data: error.data } } };
  }
}

/** Layer 1: whether the agent may use `exec` at all, and which layers of the tool policy had a word in it. */
export async function toolVerdict(call: CommandCall, { agentId, sessionKey }: CommandRequest): Promise<Results["tools.evaluate"]> {
  const about = { ...(agentId === undefined ? {} : { agentId }), ...(sessionKey === undefined ? {} : { sessionKey }) };
  return withClient(call, "gateway", (client) => client.call("tools.evaluate", { tool: "exec", ...about }));
}

/** Everything else says that the daemon could not be asked. */
function isAboutTheCommand({ code }: CallError): boolean {
  return ["policy", "env", "exec", "binding", "display"].includes(code.split(".")[0] ?? "");
}
