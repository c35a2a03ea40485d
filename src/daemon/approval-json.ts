import type { Approval } from "../approvals/approval.ts";
import type { ApprovalRecord, GrantOffer } from "../approvals/record.ts";
import type { JsonObject } from "../core/json.ts";

/** An approval as a client sees it. Values of environment overrides are in the record and go to operators alone. */
export function approvalJson(approval: Approval, record: ApprovalRecord | undefined, role: "gateway" | "operator"): JsonObject {
  return {
    id: approval.id,
    ...outcomeJson(approval),
    agentId: approval.agentId,
    sessionKey: approval.sessionKey,
    binding: approval.binding,
    command: approval.command,
    createdAtMs: approval.createdAtMs,
    expiresAtMs: approval.expiresAtMs,
    ...(record === undefined ? {} : recordJson(record, role)),
  };
}

function recordJson(record: ApprovalRecord, role: "gateway" | "operator"): JsonObject {
  const { env, ...shown } = record.display;
  return {
    plan: record.plan,
    display: role === "operator" ? { ...shown, env } : shown,
    requester: record.requester,
    context: record.context,
    timeoutMs: record.timeoutMs,
    allowedDecisions: record.allowedDecisions,
    grants: { executable: offerJson(record.grants.executable), command: offerJson(record.grants.command) },
  };
}

function offerJson({ entries, none }: GrantOffer): JsonObject {
  return { entries: entries.map((entry) => ({ ...entry })), none };
}

export function outcomeJson(approval: Approval): JsonObject {
  switch (approval.state) {
    case "pending":
      return { state: approval.state, decision: null };
    case "allowed":
    case "denied":
    case "consumed": {
      const { state, decision, by, reason, decidedAtMs } = approval;
      const used = approval.state === "consumed" ? { runId: approval.runId, consumedAtMs: approval.consumedAtMs } : {};
      return { state, decision, by, decidedAtMs, ...(reason === null ? {} : { reason }), ...used };
    }
    case "expired":
      return { state: approval.state, decision: null, reason: approval.code };
    case "cancelled":
      return { state: approval.state, decision: null, reason: "approval.cancelled", by: approval.by };
  }
}
