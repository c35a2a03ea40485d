/** What the daemon answers, method by method (protocol sections 4, 5, 6 and 10). */
import type { MethodName } from "../wire/methods.ts";
import { count, flag, type Guard, type Guarded, list, maybe, nullable, object, oneOf, optional, record, text } from "./shape.ts";

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

/** Why a text could not be read, and where. */
const isRefusal = object({ reason: text, message: text, column: count, excerpt: text, hint: text });
/** One part of a command: what it is, and what covers it or why nothing does. */
const isFinding = object({
  written: list(text),
  argv: list(text),
  operator: maybe(text),
  cwd: text,
  executable: maybe(text),
  link: maybe(text),
  wrappers: list(text),
  script: maybe(text),
  carries: maybe(text),
  inlineEval: maybe(text),
  covered: flag,
  by: maybe(isMatch),
  why: maybe(text),
  suggested: optional(object({ pattern: text, argPattern: optional(text), sha256: optional(text) })),
});
export type Finding = Guarded<typeof isFinding>;

export const isDecision = object({
  outcome: oneOf("allow", "ask", "deny"),
  code: maybe(text),
  reason: text,
  layer: optional(text),
  source: optional(text),
  rule: optional(text),
  matchedBy: maybe(isMatch),
  allowedDecisions: optional(list(text)),
  refusal: optional(isRefusal),
  findings: optional(list(isFinding)),
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
  /** Processes of the run that could not be ended. */
  escaped: list(object({ pid: count, name: text })),
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

const isApprovalPage = object({ approvals: list(isApproval), next: maybe(text) });
const isStoredDocument = object({ path: text, hash: text, document: record });
const isWritten = object({ hash: text });

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

const isGrant = object({
  id: text,
  agentId: text,
  pattern: text,
  argPattern: nullable(text),
  sha256: nullable(text),
  source: text,
  expiresAt: nullable(count),
  usesGranted: nullable(count),
  usesLeft: nullable(count),
  lastUsedAt: nullable(count),
});

const isLayer = object({ layer: text, source: text, verdict: oneOf("allow", "deny"), rule: text });
const isToolVerdict = object({ allowed: flag, code: nullable(text), reason: text, layers: list(isLayer) });

const isEnforcement = object({ level: oneOf("sealed", "pinned", "checked"), parts: optional(list(record)) });
export const isWelcome = object({
  role: oneOf("gateway", "operator"),
  server: text,
  protocol: count,
  hostId: text,
  enforcement: isEnforcement,
});

/** What is not needed to tell one daemon from another may be missing from an older one. */
const isStatus = object({
  version: text,
  uptimeMs: count,
  enforcement: isEnforcement,
  server: optional(text),
  protocol: optional(count),
  pid: optional(count),
  startedAtMs: optional(count),
  role: optional(oneOf("gateway", "operator")),
  hostId: optional(text),
  guards: optional(record),
  counts: optional(object({ pending: count, allowed: count, running: count, connections: record, residentBytes: count })),
  limits: optional(record),
  document: optional(object({ ok: flag, hash: optional(text), code: optional(text), reason: optional(text) })),
  settings: optional(object({ path: maybe(text), problem: nullable(text) })),
  operatorAttached: optional(flag),
  notCovered: optional(list(text)),
});

/** One per method, and the compiler sees to it that none is forgotten. */
export const GUARDS = {
  hello: object({ nonce: text, proof: text }),
  authenticate: isWelcome,
  "system.run.prepare": isPrepared,
  "system.run": isRunResult,
  "system.run.cancel": object({ runId: text, cancelled: flag }),
  "system.which": object({ paths: record }),
  "exec.approval.request": isOutcome,
  "exec.approval.waitDecision": isOutcome,
  "exec.approval.resolve": isOutcome,
  "exec.approval.list": isApprovalPage,
  "exec.approval.get": isApproval,
  "exec.approval.cancel": isOutcome,
  "exec.approvals.get": isStoredDocument,
  "exec.approvals.set": isWritten,
  "exec.approvals.patch": isWritten,
  "exec.approvals.node.get": isStoredDocument,
  "exec.approvals.node.set": isWritten,
  "exec.grants.list": object({ grants: list(isGrant), next: maybe(text) }),
  "exec.grants.revoke": object({ id: text, revoked: list(text) }),
  "tools.evaluate": isToolVerdict,
  "tools.list": object({ tools: list(text), denied: list(record) }),
  "elevated.evaluate": record,
  "events.subscribe": object({ topics: list(text) }),
  "events.unsubscribe": object({}),
  status: isStatus,
  "audit.tail": isAuditPage,
  "audit.verify": isChainReport,
  "token.rotate": object({ role: text, gateway: nullable(text), token: text }),
  "trust.add": object({ iss: text, agents: nullable(list(text)) }),
  "trust.list": object({ issuers: list(object({ iss: text, agents: maybe(list(text)), addedAtMs: maybe(count) })) }),
  "trust.remove": object({ iss: text }),
} as const satisfies Readonly<Record<MethodName, Guard<unknown>>>;

export type Results = { readonly [Method in MethodName]: Guarded<(typeof GUARDS)[Method]> };
