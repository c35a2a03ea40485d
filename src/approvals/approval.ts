import type { AgentId, ApprovalId, RunId } from "../core/ids.ts";
import { APPROVAL_GRACE_MS } from "../core/limits.ts";
import type { Sha256 } from "../core/sha256.ts";

/** One approval. A field exists only in the states in which it can: there is no `consumedAtMs` on something that was not consumed. */
export type Approval = Asking & Outcome;

export interface Asking {
  readonly id: ApprovalId;
  readonly credential: string;
  readonly agentId: AgentId;
  readonly sessionKey: string;
  readonly requestKey: string | null;
  readonly binding: string;
  readonly command: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly recordSha256: Sha256;
}

export type Outcome =
  | { readonly state: "pending" }
  | ({ readonly state: "allowed"; readonly usableUntilMs: number } & Answer<"allow-once" | "allow-always">)
  | ({ readonly state: "consumed"; readonly runId: RunId; readonly consumedAtMs: number } & Answer<"allow-once" | "allow-always">)
  | ({ readonly state: "denied" } & Answer<"deny">)
  | { readonly state: "expired"; readonly expiredAtMs: number; readonly code: "approval.expired" | "approval.no-route" }
  | { readonly state: "cancelled"; readonly cancelledAtMs: number; readonly by: string };

interface Answer<Which extends string> {
  readonly decision: Which;
  readonly by: string;
  readonly reason: string | null;
  readonly decidedAtMs: number;
}

export type ApprovalState = Outcome["state"];

/** A decision in the last second must leave the requester time to use it. */
export function usableUntil(expiresAtMs: number, decidedAtMs: number): number {
  return Math.max(expiresAtMs, decidedAtMs + APPROVAL_GRACE_MS);
}

/**
 * The asking half, so that nothing of an earlier state lingers in a later one. Spread it last: V8 copies onto a literal at once, and gives
 * a copy one more property in a microsecond each.
 */
export function askingOf(approval: Approval): Asking {
  const { id, credential, agentId, sessionKey, requestKey, binding, command, createdAtMs, expiresAtMs, recordSha256 } = approval;
  return { id, credential, agentId, sessionKey, requestKey, binding, command, createdAtMs, expiresAtMs, recordSha256 };
}

/** When it stopped being of any use to anyone; never, while it is still live. */
export function settledAtMs(approval: Approval): number {
  switch (approval.state) {
    case "pending":
    case "allowed":
      return Number.POSITIVE_INFINITY;
    case "consumed":
      return approval.consumedAtMs;
    case "denied":
      return approval.decidedAtMs;
    case "expired":
      return approval.expiredAtMs;
    case "cancelled":
      return approval.cancelledAtMs;
  }
}
