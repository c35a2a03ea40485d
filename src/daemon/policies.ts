import { type Denial, denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { APPROVAL_TIMEOUT_DEFAULT_MS } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../policy/exec-settings.ts";
import type { StatePaths } from "../store/state-paths.ts";
import type { ParamsOf } from "../wire/methods.ts";
import type { Claim } from "../wire/params/command.ts";
import type { Log } from "./log.ts";

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

export const POLICIES_DEFAULT: Policies = {
  execFor: () => EXEC_SETTINGS_DEFAULT,
  judgeExecTool: () => ok(null),
  approvalTimeoutMs: APPROVAL_TIMEOUT_DEFAULT_MS,
  trustForwardedDecisions: false,
  evaluateTool: () => ok({ allowed: true, code: null, reason: "no tool policy is set", layers: [] }),
  listTools: () => ok({ tools: [] }),
  evaluateElevated: () => fail(denial("policy.elevated-refused", "elevated mode is off; an operator can allow it in tools.elevated")),
};

export interface PolicySource {
  readonly path: string;
  current(): Policies;
  /** Why the file on disk is not the one in force, if so. */
  problem(): string | null;
  reload(): Result<unknown, Denial>;
}

export function openPolicies(config: string | null, paths: StatePaths, _uid: number, _log: Log): Result<PolicySource, Denial> {
  return ok({ path: config ?? paths.settings, current: () => POLICIES_DEFAULT, problem: () => null, reload: () => ok(undefined) });
}
