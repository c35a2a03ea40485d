import type { RunStarting } from "../approvals/events.ts";
import { unknownApproval } from "../approvals/find.ts";
import { tokenKey } from "../approvals/ledger.ts";
import { spendable } from "../approvals/transition.ts";
import { coversAgent } from "../auth/agent-pattern.ts";
import type { Permit } from "../binding/verify.ts";
import { type Denial, denial } from "../core/denial.ts";
import { type AgentId, type ApprovalId, isApprovalId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Allow } from "../policy/decide.ts";
import type { RunParams } from "../wire/params/run.ts";
import type { Asker } from "./asker.ts";
import type { World } from "./world.ts";

/** What a run rests on, and what will be used up by it. */
export interface Claimed {
  readonly permit: Permit;
  readonly decidedBy: string;
  readonly approvalId: ApprovalId | null;
  readonly token: RunStarting["token"];
  /** The approved time limit; a run may shorten it. */
  readonly timeoutMs: number | null;
}

export function claimByPolicy(allow: Allow): Claimed {
  return { permit: { kind: "policy", allow }, decidedBy: allow.decidedBy, approvalId: null, token: null, timeoutMs: null };
}

/** Looks an approval up without using it: it is spent only when what would run was found to be what was approved. */
export async function claimApproval(
  approval: RunParams["approval"],
  asker: Asker,
  agentId: AgentId,
  world: World,
): Promise<Result<Claimed, Denial>> {
  switch (approval.kind) {
    case "none":
      return fail(denial("approval.required", "no approval was given; ask for one"));
    case "id":
      return claimById(approval.id, asker, world);
    case "token":
      return claimByToken(approval.token, asker, agentId, world);
  }
}

export function claimById(id: string, asker: Asker, world: World): Result<Claimed, Denial> {
  const approval = isApprovalId(id) ? world.desk.ledger.approvals.get(id) : undefined;
  // Someone else's approval is as unknown as one that never was.
  if (approval === undefined || (asker.role === "gateway" && approval.credential !== asker.credential)) return fail(unknownApproval(id));
  const allowed = spendable(approval, world.clock.nowMs());
  if (!allowed.ok) return allowed;
  const record = world.record(approval.id);
  if (record === undefined) {
    return fail(denial("state.corrupt", `the record of approval \`${id}\` is gone or was changed; ask for a new approval`, { id }));
  }
  const { parts, cwd } = record;
  if (parts === null || cwd === null) {
    return fail(
      denial("binding.unavailable", `approval \`${id}\` was for display only and covers no run; ask for one of this command`, { id }),
    );
  }
  return ok({
    permit: { kind: "approval", binding: approval.binding, parts, cwd },
    decidedBy: allowed.value.decision,
    approvalId: approval.id,
    token: null,
    timeoutMs: record.timeoutMs,
  });
}

async function claimByToken(token: string, asker: Asker, agentId: AgentId, world: World): Promise<Result<Claimed, Denial>> {
  const read = await world.readToken(token);
  if (!read.ok) return read;
  const { issuer, binding, jti, rememberUntilMs } = read.value;
  if (issuer.kind === "local") {
    const claimed = claimById(issuer.approvalId, asker, world);
    if (!claimed.ok || world.desk.ledger.approvals.get(issuer.approvalId)?.binding === binding) return claimed;
    return fail(
      denial("approval.token-invalid", "the token does not belong to its approval; ask for a new approval", { field: "approvalToken" }),
    );
  }
  const { iss, agents } = issuer;
  if (!coversAgent(agents, agentId)) {
    return fail(
      denial("approval.token-invalid", `\`${iss}\` may not approve for agent \`${agentId}\`; enrol it for that agent`, { iss, agentId }),
    );
  }
  if (world.desk.ledger.spentTokens.has(tokenKey(iss, jti))) return fail(spentToken(iss, jti));
  return ok({
    permit: { kind: "token", binding },
    decidedBy: "allow-once",
    approvalId: null,
    token: { iss, jti, forgetAtMs: rememberUntilMs },
    timeoutMs: null,
  });
}

export function spentToken(issuer: string, jti: string): Denial {
  return denial("approval.consumed", `the token \`${jti}\` of \`${issuer}\` was used already; ask for a new approval`, {
    iss: issuer,
    jti,
  });
}
