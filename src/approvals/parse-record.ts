/**
 * A line of the journal, back to a record. The hash chain says that nobody else wrote it; this says that its members are what the fold
 * relies on, so that a record of a newer version stops the daemon instead of being folded into nonsense.
 */
import { isCode } from "../core/codes.ts";
import { isAgentId, isApprovalId, isRunId } from "../core/ids.ts";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { parseSha256 } from "../core/sha256.ts";
import { isList } from "../policy/document-fields.ts";
import type { AuditRecord } from "./events.ts";

type Check = (value: JsonValue | undefined) => boolean;

const text: Check = (value) => typeof value === "string";
const count: Check = (value) => Number.isSafeInteger(value) && typeof value === "number" && value >= 0;
const number: Check = (value) => typeof value === "number";
const flag: Check = (value) => typeof value === "boolean";
const object: Check = (value) => isJsonObject(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    isList(value) && value.every(check);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && words.includes(value);
const shape =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isJsonObject(value) && Object.entries(members).every(([name, check]) => check(value[name]));

const code: Check = (value) => typeof value === "string" && isCode(value);
const digest: Check = (value) => typeof value === "string" && parseSha256(value).ok;
const approvalId: Check = (value) => typeof value === "string" && isApprovalId(value);
const runId: Check = (value) => typeof value === "string" && isRunId(value);
const agentId: Check = (value) => typeof value === "string" && isAgentId(value);
const stamp = shape({ seq: count, at: count, prev: digest });
const noted = shape({ details: object });

const MEMBERS: { readonly [Type in AuditRecord["type"]]: Check } = {
  "approval.requested": shape({
    id: approvalId,
    credential: text,
    agentId,
    sessionKey: text,
    requestKey: orNull(text),
    binding: text,
    command: text,
    expiresAtMs: count,
    recordSha256: digest,
  }),
  "approval.decided": shape({ id: approvalId, decision: oneOf("allow-once", "allow-always", "deny"), by: text, reason: orNull(text) }),
  "approval.expired": shape({ id: approvalId, code: oneOf("approval.expired", "approval.no-route") }),
  "approval.cancelled": shape({ id: approvalId, by: text }),
  "run.starting": shape({
    runId,
    credential: text,
    agentId,
    sessionKey: text,
    binding: text,
    command: text,
    decidedBy: text,
    approvalId: orNull(approvalId),
    token: orNull(shape({ iss: text, jti: text, forgetAtMs: count })),
    grants: listOf(text),
  }),
  "run.finished": shape({
    runId,
    exitCode: orNull(number),
    signal: orNull(text),
    timedOut: flag,
    cancelled: flag,
    durationMs: number,
    enforcement: text,
    code: orNull(code),
    escaped: orAbsent(listOf(shape({ pid: count, name: text }))),
  }),
  "run.lost": shape({ runId, approvalId: orNull(approvalId), reason: text }),
  "run.denied": shape({
    code,
    message: text,
    credential: text,
    agentId,
    sessionKey: text,
    command: text,
    approvalId: orNull(approvalId),
  }),
  "daemon.started": noted,
  "daemon.stopped": noted,
  "policy.changed": noted,
  "token.rotated": noted,
  "trust.changed": noted,
  "grant.revoked": noted,
  "security.event": noted,
  recovered: shape({ reason: oneOf("torn", "sync-failed"), segment: text, tornBytes: count, movedTo: orNull(text) }),
  carried: shape({ keepsFrom: count, state: object }),
};

export function parseRecord(line: string): Result<AuditRecord, "not-a-record"> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return fail("not-a-record");
  }
  return isRecord(value) ? ok(value) : fail("not-a-record");
}

function isRecord(value: unknown): value is AuditRecord {
  if (!isJsonObject(value) || !stamp(value)) return false;
  const type = value["type"];
  return typeof type === "string" && isKnownType(type) && MEMBERS[type](value);
}

function isKnownType(type: string): type is AuditRecord["type"] {
  return Object.hasOwn(MEMBERS, type);
}
