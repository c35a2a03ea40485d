import type { Denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import { APPROVAL_TIMEOUT_DEFAULT_MS } from "../core/limits.ts";
import { ok, type Result } from "../core/result.ts";
import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../policy/exec-settings.ts";
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
}

export const POLICIES_DEFAULT: Policies = {
  execFor: () => EXEC_SETTINGS_DEFAULT,
  judgeExecTool: () => ok(null),
  approvalTimeoutMs: APPROVAL_TIMEOUT_DEFAULT_MS,
  trustForwardedDecisions: false,
};
