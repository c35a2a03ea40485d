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
  decidedBy: maybe(text),
  plan: maybe(isPlan),
  binding: maybe(text),
  display: maybe(isDisplay),
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
}

const isApprovalPage = object({ approvals: list(isApproval), next: maybe(text) });
const isStoredDocument = object({ path: text, hash: text, document: record });

export const GUARDS: { readonly [Method in keyof Results]: Guard<Results[Method]> } = {
  "system.run.prepare": isPrepared,
  "system.run": isRunResult,
  "exec.approval.request": isOutcome,
  "exec.approval.waitDecision": isOutcome,
  "exec.approval.resolve": isOutcome,
  "exec.approval.list": isApprovalPage,
  "exec.approval.get": isApproval,
  "exec.approvals.get": isStoredDocument,
};
