import type { Settings } from "../config/settings.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ExecSettings } from "../policy/exec-settings.ts";
import type { ParamsOf } from "../wire/methods.ts";
import type { Claim } from "../wire/params/command.ts";

/** What layer 4 grants a sender who asked for it and may have it; `null` for everyone else. */
export type Elevation = "on" | "ask" | "full" | null;

/** What the settings file says, as far as the road asks. */
export interface Policies {
  execFor(agentId: AgentId): ExecSettings;
  /** The one choke point of layers 1 and 4 for commands. */
  judgeExecTool(agentId: AgentId, context: Claim): Result<Elevation, Denial>;
  readonly approvalTimeoutMs: number;
  readonly trustForwardedDecisions: boolean;
  evaluateTool(params: ParamsOf<"tools.evaluate">, agentId: AgentId): Result<JsonObject, Denial> | Promise<Result<JsonObject, Denial>>;
  listTools(params: ParamsOf<"tools.list">, agentId: AgentId): Result<JsonObject, Denial>;
  evaluateElevated(params: ParamsOf<"elevated.evaluate">, agentId: AgentId): Result<JsonObject, Denial>;
}

export function policiesOf(settings: Settings): Policies {
  return {
    execFor: (agentId) => settings.execFor(agentId),
    judgeExecTool: () => ok(null),
    approvalTimeoutMs: settings.approvalTimeoutMs,
    trustForwardedDecisions: settings.trustForwardedDecisions,
    evaluateTool: () => ok({ allowed: true, code: null, reason: "no tool policy is set", layers: [] }),
    listTools: () => ok({ tools: [] }),
    evaluateElevated: () => fail(denial("policy.elevated-refused", "elevated mode is off; an operator can allow it in tools.elevated")),
  };
}
