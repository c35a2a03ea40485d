import type { RunStarting } from "../approvals/events.ts";
import { unknownApproval } from "../approvals/find.ts";
import { tokenKey } from "../approvals/ledger.ts";
import { spendable } from "../approvals/transition.ts";
import type { Permit } from "../binding/verify.ts";
import { type Denial, denial } from "../core/denial.ts";
import { type ApprovalId, isApprovalId } from "../core/ids.ts";
import { TOKEN_REPLAY_SLACK_MS } from "../core/limits.ts";
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
export async function claimApproval(approval: RunParams["approval"], asker: Asker, world: World): Promise<Result<Claimed, Denial>> {
  switch (approval.kind) {
    case "none":
      return fail(denial("approval.required", "no approval was given; ask for one"));
    case "id":
      return claimById(approval.id, asker, world);
    case "token":
      return claimByToken(approval.token, asker, world);
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
    permit: { kind: "approval", parts, cwd },
    decidedBy: allowed.value.decision,
    approvalId: approval.id,
    token: null,
    timeoutMs: record.timeoutMs,
  });
}

async function claimByToken(token: string, asker: Asker, world: World): Promise<Result<Claimed, Denial>> {
  const read = await world.readToken(token);
  if (!read.ok) return read;
  const { issuer, jti, bnd, expMs } = read.value;
  if (issuer === null) {
    const claimed = claimById(jti, asker, world);
    if (!claimed.ok || world.desk.ledger.approvals.get(claimed.value.approvalId ?? missing())?.binding === bnd) return claimed;
    return fail(
      denial("approval.token-invalid", "the token does not belong to its approval; ask for a new approval", { field: "approvalToken" }),
    );
  }
  if (world.desk.ledger.spentTokens.has(tokenKey(issuer, jti))) return fail(spentToken(issuer, jti));
  return ok({
    permit: { kind: "token", binding: bnd },
    decidedBy: "allow-once",
    approvalId: null,
    token: { iss: issuer, jti, forgetAtMs: expMs + TOKEN_REPLAY_SLACK_MS },
    timeoutMs: null,
  });
}

export function spentToken(issuer: string, jti: string): Denial {
  return denial("approval.consumed", `the token \`${jti}\` of \`${issuer}\` was used already; ask for a new approval`, {
    iss: issuer,
    jti,
  });
}

function missing(): never {
  throw new Error("an approval that was found has no id");
}
