/** Who calls a tool and from where, as flags: the claim that a gateway would make for the agent. */

import { type AgentId, isAgentId } from "../../core/ids.ts";
import { SUBAGENT_DEPTH_MAX } from "../../core/limits.ts";
import { type CommandCall, type Flag, UsageError } from "../command.ts";
import { wholeNumber } from "../flag-values.ts";

export const SITUATION_FLAGS: Readonly<Record<string, Flag>> = {
  agent: { value: "ID", summary: "the agent that calls (default: main)" },
  session: { value: "KEY", summary: "the session it calls from" },
  provider: { value: "NAME", summary: "the model's provider" },
  model: { value: "NAME", summary: "the model" },
  channel: { value: "NAME", summary: "the channel of the conversation" },
  owner: { summary: "the sender is an owner" },
  sandboxed: { summary: "the agent is sandboxed" },
  "subagent-depth": { value: "N", summary: "0 for an agent that nobody spawned (the default), 1 for its children" },
};

export interface AskedSituation {
  readonly agentId: AgentId;
  readonly sessionKey: string;
  readonly context: AskedContext;
}

type AskedContext = {
  readonly [Key in "provider" | "model" | "channel"]?: string;
} & { readonly senderIsOwner?: boolean; readonly sandboxed?: boolean; readonly subagentDepth?: number };

export function situationOf(call: CommandCall): AskedSituation {
  const agentId = call.text("agent") ?? "main";
  if (!isAgentId(agentId)) throw new UsageError(`\`--agent\` is an agent's id such as main or ops-1, not \`${agentId}\``);
  const [provider, model, channel] = ["provider", "model", "channel"].map((flag) => call.text(flag));
  const subagentDepth = wholeNumber(call, "subagent-depth");
  if ((subagentDepth ?? 0) > SUBAGENT_DEPTH_MAX) throw new UsageError(`\`--subagent-depth\` is at most ${SUBAGENT_DEPTH_MAX}`);
  return {
    agentId,
    sessionKey: call.text("session") ?? "",
    context: {
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(channel === undefined ? {} : { channel }),
      ...(call.has("owner") ? { senderIsOwner: true } : {}),
      // Left out, the settings say for themselves which sessions are sandboxed.
      ...(call.has("sandboxed") ? { sandboxed: true } : {}),
      ...(subagentDepth === undefined ? {} : { subagentDepth }),
    },
  };
}
