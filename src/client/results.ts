/** What the daemon answers, method by method, as far as clients look at it (protocol sections 5, 6 and 10). */
import { count, flag, type Guard, type Guarded, list, maybe, object, oneOf, optional, record, text } from "./shape.ts";

const isHashedFile = object({ path: text, sha256: text });
const isOperandFile = object({ argvIndex: count, path: text, sha256: text });
const isSegment = object({ argv: list(text), executable: maybe(text), operator: maybe(text) });

export const isPlan = object({
  argv: list(text),
  cwd: text,
  envHash: text,
  envKeys: list(text),
  agentId: text,
  sessionKey: text,
  executable: isHashedFile,
  files: list(isOperandFile),
  nested: list(isHashedFile),
  stdin: object({ bytes: count, sha256: maybe(text) }),
  unbound: list(text),
  segments: list(isSegment),
});
export type Plan = Guarded<typeof isPlan>;

export const isDisplay = object({ command: text, words: list(text), warnings: list(text), env: maybe(record) });
export type Display = Guarded<typeof isDisplay>;

const isMatch = object({ kind: text, pattern: maybe(text), source: maybe(text) });

export const isDecision = object({
  outcome: oneOf("allow", "ask", "deny"),
  code: maybe(text),
  reason: text,
  matchedBy: maybe(isMatch),
  allowedDecisions: optional(list(text)),
  layers: optional(list(object({ layer: maybe(text), source: maybe(text), verdict: maybe(text), rule: maybe(text) }))),
});
export type Decision = Guarded<typeof isDecision>;

export const isPrepared = object({ plan: isPlan, binding: text, display: isDisplay, decision: isDecision, enforcement: text });
export type Prepared = Guarded<typeof isPrepared>;

export const isRunResult = object({
  runId: text,
  exitCode: maybe(count),
  signal: maybe(text),
  timedOut: flag,
  cancelled: flag,
  durationMs: count,
  stdout: text,
  stderr: text,
  stdoutTruncated: flag,
  stderrTruncated: flag,
  stdoutBytes: count,
  stderrBytes: count,
  decidedBy: text,
  approvalId: maybe(text),
  binding: text,
  enforcement: text,
  escaped: list((value: unknown): value is unknown => value !== undefined),
});
export type RunResult = Guarded<typeof isRunResult>;

/** What an allow-always would add to the allowlist, or why it would add nothing. */
const isOffer = object({ entries: list(object({ pattern: text, argPattern: maybe(text), sha256: maybe(text) })), none: maybe(text) });

export const isApproval = object({
  id: text,
  state: oneOf("pending", "allowed", "denied", "expired", "cancelled", "consumed"),
  decision: maybe(text),
  reason: maybe(text),
  agentId: maybe(text),
  sessionKey: maybe(text),
  host: maybe(text),
  requester: maybe(record),
  createdAtMs: maybe(count),
  expiresAtMs: maybe(count),
  decidedAtMs: maybe(count),
  by: maybe(text),
  runId: maybe(text),
  consumedAtMs: maybe(count),
  command: maybe(text),
  context: maybe(record),
  timeoutMs: maybe(count),
  allowedDecisions: optional(list(text)),
  grants: maybe(object({ executable: isOffer, command: isOffer })),
  plan: maybe(isPlan),
  binding: maybe(text),
  display: maybe(isDisplay),
  /** By path: the text of each bound file as far as it was kept, and what was allowed before. For operators, from `get` alone. */
  contents: maybe(record),
});
export type Approval = Guarded<typeof isApproval>;

const isOutcome = object({
  id: optional(text),
  status: optional(text),
  state: optional(text),
  decision: maybe(text),
  reason: maybe(text),
  approvalToken: optional(text),
  expiresAtMs: optional(count),
  stored: optional(list(text)),
  oneShot: maybe(text),
});

/** A method that is not here can be called too; its answer is then a plain JSON object. */
export interface Results {
  "system.run.prepare": Prepared;
  "system.run": RunResult;
  "exec.approval.request": Guarded<typeof isOutcome>;
  "exec.approval.waitDecision": Guarded<typeof isOutcome>;
  "exec.approval.resolve": Guarded<typeof isOutcome>;
  "exec.approval.list": Guarded<typeof isApprovalPage>;
  "exec.approval.get": Approval;
  "exec.approvals.get": Guarded<typeof isStoredDocument>;
  "audit.tail": Guarded<typeof isAuditPage>;
  "audit.verify": ChainReport;
  "token.rotate": Guarded<typeof isRotated>;
  "trust.list": Guarded<typeof isTrustList>;
}

const isApprovalPage = object({ approvals: list(isApproval), next: maybe(text) });
const isStoredDocument = object({ path: text, hash: text, document: record });
/** The newest last; `next` leads to older ones. Records are as the log has them, whichever version wrote it. */
const isAuditPage = object({ records: list(record), next: maybe(text) });
const isChainReport = object({
  verdict: oneOf("intact", "torn", "tampered", "empty"),
  segments: count,
  records: count,
  head: object({ seq: count, hash: text }),
  torn: maybe(object({ segment: text, line: count, bytes: count })),
  problems: list(object({ segment: text, line: count, what: text })),
});
export type ChainReport = Guarded<typeof isChainReport>;
const isRotated = object({ token: text });
const isTrustList = object({ issuers: list(object({ iss: text, agents: maybe(list(text)), addedAtMs: maybe(count) })) });

export const GUARDS: { readonly [Method in keyof Results]: Guard<Results[Method]> } = {
  "system.run.prepare": isPrepared,
  "system.run": isRunResult,
  "exec.approval.request": isOutcome,
  "exec.approval.waitDecision": isOutcome,
  "exec.approval.resolve": isOutcome,
  "exec.approval.list": isApprovalPage,
  "exec.approval.get": isApproval,
  "exec.approvals.get": isStoredDocument,
  "audit.tail": isAuditPage,
  "audit.verify": isChainReport,
  "token.rotate": isRotated,
  "trust.list": isTrustList,
};
