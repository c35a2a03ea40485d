import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ElevatedPlace, ElevatedPolicy } from "./elevated.ts";
import type { ToolCall, ToolMachine } from "./tool-call.ts";
import { type ToolPolicy, toolDenial } from "./tool-policy.ts";

/** The one choke point of every command: layer 1 for `exec`, then layer 4. What comes through runs on this host. */
export function judgeExec(
  policies: { readonly tools: ToolPolicy; readonly elevated: ElevatedPolicy },
  call: Omit<ToolCall, "tool"> & { readonly tool?: never },
  machine: ToolMachine,
): Result<Pick<ElevatedPlace, "approval">, Denial> {
  const verdict = policies.tools.evaluate({ tool: "exec", ...call }, machine);
  if (!verdict.allowed) return fail(toolDenial(verdict));
  const { sender, channel, elevated } = call.context;
  const place = policies.elevated.evaluate({
    agentId: call.agentId,
    sandboxed: policies.tools.isSandboxed(call),
    ...(sender === undefined ? {} : { sender }),
    ...(channel === undefined ? {} : { channel }),
    ...(elevated === undefined ? {} : { mode: elevated }),
  });
  if (!place.ok) return place;
  return place.value.where === "host" ? ok({ approval: place.value.approval }) : fail(belongsInSandbox(call.agentId));
}

/** There is no sandbox here: what is to stay in one must not be run by us. */
function belongsInSandbox(agentId: string): Denial {
  return denial(
    "policy.elevated-refused",
    `agent \`${agentId}\` is sandboxed and elevated mode is off; run it in the sandbox, or let a listed sender switch elevated mode on`,
    { agentId, mode: "off", gate: "sandbox" },
  );
}
