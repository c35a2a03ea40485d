import type { Code } from "../core/codes.ts";
import type { AgentId, ApprovalId, RunId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Sha256 } from "../core/sha256.ts";

/**
 * What happened, one journal line each. The approvals' state is the fold of these, so an event is durable before anyone is told of it.
 * No event holds an environment value, a token or output. Commands are shown text (wire/display.ts), never raw.
 */
export type JournalEvent =
  | ApprovalRequested
  | ApprovalDecided
  | ApprovalExpired
  | ApprovalCancelled
  | RunStarting
  | RunFinished
  | RunLost
  | RunDenied
  | Noted
  | Recovered
  | Carried;

export type Decision = "allow-once" | "allow-always" | "deny";

export interface ApprovalRequested {
  readonly type: "approval.requested";
  readonly id: ApprovalId;
  /** The name of the credential that asked; it alone may use what comes of it. */
  readonly credential: string;
  readonly agentId: AgentId;
  readonly sessionKey: string;
  readonly requestKey: string | null;
  readonly binding: string;
  readonly command: string;
  readonly expiresAtMs: number;
  /** Of the exact bytes of `approvals/<id>.json`, so that an edited record is found out. */
  readonly recordSha256: Sha256;
}

export interface ApprovalDecided {
  readonly type: "approval.decided";
  readonly id: ApprovalId;
  readonly decision: Decision;
  readonly by: string;
  readonly reason: string | null;
}

export interface ApprovalExpired {
  readonly type: "approval.expired";
  readonly id: ApprovalId;
  readonly code: "approval.expired" | "approval.no-route";
}

export interface ApprovalCancelled {
  readonly type: "approval.cancelled";
  readonly id: ApprovalId;
  readonly by: string;
}

/** Consumption and the start of a run are one record: it is durable before the child exists, and there is no second write. */
export interface RunStarting {
  readonly type: "run.starting";
  readonly runId: RunId;
  readonly credential: string;
  readonly agentId: AgentId;
  readonly sessionKey: string;
  readonly binding: string;
  readonly command: string;
  readonly decidedBy: string;
  readonly approvalId: ApprovalId | null;
  /** A token minted by an enrolled gateway: spent by issuer and id until it could no longer be presented. */
  readonly token: { readonly iss: string; readonly jti: string; readonly forgetAtMs: number } | null;
  /** Allowlist entries with a number of uses, each spent once by this run. */
  readonly grants: readonly string[];
}

export interface RunFinished {
  readonly type: "run.finished";
  readonly runId: RunId;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  readonly enforcement: string;
  /** Set when the run was consumed but could not be started, or ended with a refusal of ours. */
  readonly code: Code | null;
  /** Those that could not be ended, or not be told from another run's; absent when there are none. */
  readonly escaped?: readonly { readonly pid: number; readonly name: string }[];
}

/** A run that was started, as far as anyone knows, and whose end nobody saw. It is reported, never repeated. */
export interface RunLost {
  readonly type: "run.lost";
  readonly runId: RunId;
  readonly approvalId: ApprovalId | null;
  readonly reason: "lost-to-restart";
}

export interface RunDenied {
  readonly type: "run.denied";
  readonly code: Code;
  readonly message: string;
  readonly credential: string;
  readonly agentId: AgentId;
  readonly sessionKey: string;
  readonly command: string;
  readonly approvalId: ApprovalId | null;
}

/** Everything that matters to a reader of the log and not to the state of an approval. */
export interface Noted {
  readonly type:
    | "daemon.started"
    | "daemon.stopped"
    | "policy.changed"
    | "token.rotated"
    | "trust.changed"
    | "grant.revoked"
    | "security.event";
  readonly details: JsonObject;
}

/** Takes the place of what was at the end of the chain and had never been acknowledged. Written by the journal alone. */
export interface Recovered {
  readonly type: "recovered";
  /** `torn`: a crash left an unfinished tail. `sync-failed`: the disk would not say what it kept, so the chain went on in a new segment. */
  readonly reason: "torn" | "sync-failed";
  readonly segment: string;
  readonly tornBytes: number;
  /** The file in which the torn bytes can be looked at. */
  readonly movedTo: string | null;
}

/** The live state at the head of a new segment, so that an old one may go. Written by the journal alone. */
export interface Carried {
  readonly type: "carried";
  /** The oldest record that must still be there: what came before was let go, not taken. */
  readonly keepsFrom: number;
  readonly state: JsonObject;
}

/** What the rest of the program may append. */
export type AppendableEvent = Exclude<JournalEvent, Recovered | Carried>;

/** `prev` is the sha256 of the line before, without its line feed; sixty-four zeros stand before the first. `at` is in milliseconds. */
export interface Stamp {
  readonly seq: number;
  readonly at: number;
  readonly prev: string;
}

export type AuditRecord = Stamp & JournalEvent;
