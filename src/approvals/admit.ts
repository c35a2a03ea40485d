import { type Denial, denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import {
  APPROVALS_PENDING_MAX,
  APPROVALS_PENDING_PER_AGENT_MAX,
  APPROVALS_PENDING_PER_CREDENTIAL_MAX,
  PROMPTS_PER_AGENT_PER_MINUTE_MAX,
} from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Approval } from "./approval.ts";
import type { Ledger } from "./ledger.ts";

export interface Wanted {
  readonly credential: string;
  readonly agentId: AgentId;
  readonly requestKey: string | null;
  readonly binding: string;
}

/**
 * Whether a new question may be put to a person: `null` means yes, an approval means that this very question was asked before.
 * The bounds are on what a person can be made to look at, so a flood of prompts ends here and not in someone's tired yes.
 */
export function admit(ledger: Ledger, wanted: Wanted, nowMs: number): Result<Approval | null, Denial> {
  const earlier = earlierRequest(ledger, wanted);
  if (earlier !== undefined) {
    if (earlier.binding === wanted.binding) return ok(earlier);
    return fail(
      denial("approval.id-conflict", `requestKey \`${wanted.requestKey}\` was used for another command; choose a new key`, {
        field: "requestKey",
        id: earlier.id,
        approved: earlier.binding,
        found: wanted.binding,
      }),
    );
  }
  return withinBounds(ledger, wanted, nowMs);
}

function earlierRequest({ approvals }: Ledger, { credential, agentId, requestKey }: Wanted): Approval | undefined {
  return requestKey === null ? undefined : approvals.askedWith({ credential, agentId, requestKey });
}

function withinBounds({ approvals }: Ledger, { credential, agentId }: Wanted, nowMs: number): Result<null, Denial> {
  const bounds: readonly (readonly [string, number, number])[] = [
    ["pending approvals", approvals.pendingCount(), APPROVALS_PENDING_MAX],
    ["pending approvals of this credential", approvals.pendingCount({ credential }), APPROVALS_PENDING_PER_CREDENTIAL_MAX],
    [`pending approvals of agent \`${agentId}\``, approvals.pendingCount({ agentId }), APPROVALS_PENDING_PER_AGENT_MAX],
    [`prompts by agent \`${agentId}\` in a minute`, approvals.promptsInLastMinute(agentId, nowMs), PROMPTS_PER_AGENT_PER_MINUTE_MAX],
  ];
  const reached = bounds.find(([, found, most]) => found >= most);
  if (reached === undefined) return ok(null);
  const [what, , most] = reached;
  return fail(denial("overloaded", `there are ${most} ${what} already; wait until some are answered`, { limit: most, what }));
}
