import type { ApprovalId, RunId } from "../core/ids.ts";
import { APPROVAL_BYTES, APPROVAL_GRACE_MS } from "../core/limits.ts";
import { type Approval, askingOf, settledAtMs, usableUntil } from "./approval.ts";
import { type ApprovalBook, approvalBook } from "./approval-book.ts";
import type { ApprovalDecided, JournalEvent, RunStarting } from "./events.ts";

/** Everything the journal says, folded. Rebuilt at every start; written only as `carried`, at a segment's head. */
export interface Ledger {
  readonly approvals: ApprovalBook;
  /** Runs that started and did not finish. */
  readonly running: Map<RunId, RunningRun>;
  /** `iss` and `jti` of spent tokens, and until when they must be remembered. */
  readonly spentTokens: Map<string, number>;
  /** How often each allowlist entry with a number of uses was used. */
  readonly usesSpent: Map<string, number>;
}

export interface RunningRun {
  readonly approvalId: ApprovalId | null;
  readonly startedAtMs: number;
}

export function emptyLedger(): Ledger {
  return { approvals: approvalBook(), running: new Map(), spentTokens: new Map(), usesSpent: new Map() };
}

/** The pair as JSON: no issuer can name its way into another's. */
export function tokenKey(iss: string, jti: string): string {
  return JSON.stringify([iss, jti]);
}

/** Takes one durable event into the ledger. An event that fits no approval is a fact for the reader of the log and changes nothing here. */
export function fold(ledger: Ledger, event: JournalEvent, atMs: number): void {
  switch (event.type) {
    case "approval.requested": {
      const { type: _type, ...asking } = event;
      ledger.approvals.set({ createdAtMs: atMs, state: "pending", ...asking });
      return;
    }
    case "approval.decided":
      foldDecision(ledger, event, atMs);
      return;
    case "approval.expired": {
      const approval = ledger.approvals.get(event.id);
      if (approval?.state !== "pending" && approval?.state !== "allowed") return;
      ledger.approvals.set({ state: "expired", expiredAtMs: atMs, code: event.code, ...askingOf(approval) });
      return;
    }
    case "approval.cancelled": {
      const approval = ledger.approvals.get(event.id);
      if (approval?.state !== "pending") return;
      ledger.approvals.set({ state: "cancelled", cancelledAtMs: atMs, by: event.by, ...askingOf(approval) });
      return;
    }
    case "run.starting":
      foldStart(ledger, event, atMs);
      return;
    case "run.finished":
    case "run.lost":
      ledger.running.delete(event.runId);
      return;
    case "carried":
    case "run.denied":
    case "recovered":
    case "daemon.started":
    case "daemon.stopped":
    case "policy.changed":
    case "token.rotated":
    case "trust.changed":
    case "grant.revoked":
    case "security.event":
      return;
  }
}

function foldDecision(ledger: Ledger, event: ApprovalDecided, atMs: number): void {
  const approval = ledger.approvals.get(event.id);
  if (approval?.state !== "pending") return;
  const { decision, by, reason } = event;
  if (decision === "deny") {
    ledger.approvals.set({ state: "denied", decision, by, reason, decidedAtMs: atMs, ...askingOf(approval) });
    return;
  }
  const usableUntilMs = usableUntil(approval.expiresAtMs, atMs);
  ledger.approvals.set({ state: "allowed", usableUntilMs, decision, by, reason, decidedAtMs: atMs, ...askingOf(approval) });
}

function foldStart(ledger: Ledger, event: RunStarting, atMs: number): void {
  ledger.running.set(event.runId, { approvalId: event.approvalId, startedAtMs: atMs });
  for (const id of event.grants) ledger.usesSpent.set(id, (ledger.usesSpent.get(id) ?? 0) + 1);
  if (event.token !== null) ledger.spentTokens.set(tokenKey(event.token.iss, event.token.jti), event.token.forgetAtMs);
  const approval = event.approvalId === null ? undefined : ledger.approvals.get(event.approvalId);
  if (approval?.state !== "allowed") return;
  const { decision, by, reason, decidedAtMs } = approval;
  const { runId } = event;
  ledger.approvals.set({ state: "consumed", runId, consumedAtMs: atMs, decision, by, reason, decidedAtMs, ...askingOf(approval) });
}

function wasNeverShown(approval: Approval): boolean {
  return approval.state === "expired" && approval.code === "approval.no-route";
}

export interface Keeping {
  readonly settledMs: number;
  /** Of settled approvals, with what each of them takes whatever it is about. */
  readonly settledBytesMax: number;
}

/** Forgets what can no longer matter, so that the ledger is bounded by what is live and not by what ever was. */
export function prune(ledger: Ledger, nowMs: number, keeping: Keeping): readonly ApprovalId[] {
  const gone: ApprovalId[] = [];
  let bytes = 0;
  // The ledger keeps the order of asking, so from its end the newest come first and the oldest fall out.
  for (const approval of [...ledger.approvals.values()].toReversed()) {
    const settled = settledAtMs(approval);
    if (settled === Number.POSITIVE_INFINITY) continue;
    bytes += approval.command.length + APPROVAL_BYTES;
    const isOld = Math.max(settled, approval.expiresAtMs) + keeping.settledMs < nowMs;
    // What could still be presented a second time must still be refused with its reason; what nobody was shown never could.
    const isOver = wasNeverShown(approval) || approval.expiresAtMs + APPROVAL_GRACE_MS < nowMs;
    if (isOld || (bytes > keeping.settledBytesMax && isOver)) gone.push(approval.id);
  }
  for (const id of gone) ledger.approvals.delete(id);
  for (const [key, forgetAtMs] of ledger.spentTokens) if (forgetAtMs < nowMs) ledger.spentTokens.delete(key);
  return gone;
}
