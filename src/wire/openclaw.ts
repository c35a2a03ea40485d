/**
 * OpenClaw's dialect, protocol section 9: what its clients send. Unknown members are let through and `null` says the same as leaving a member
 * out, because these frames are another program's. What is run is read by the native protocol's own parser, so both mean the same.
 */
import * as v from "valibot";
import type { Denial } from "../core/denial.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import {
  APPROVAL_TOKEN_BYTES_MAX,
  ARGV_WORD_BYTES_MAX,
  ARGV_WORDS_MAX,
  LINE_BYTES_MAX,
  OPENCLAW_NONCE_CHARS_MAX,
  PATH_BYTES_MAX,
} from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { complaintOf, invalid } from "./complaint.ts";
import { METHODS } from "./methods.ts";
import type { RunParams } from "./params/run.ts";
import { rawCommandMatches } from "./raw-command.ts";
import { agentId, duration, flag, listOf, loosely, mapOf, name, nullable, oneOf, sessionKey, text, word } from "./schema.ts";

export const DECISIONS = ["allow-once", "allow-always", "deny"] as const;
export type OpenclawDecision = (typeof DECISIONS)[number];

/** `request`: a question that is shown and answered, and binds nothing. */
export const askedCommand = loosely({
  command: word(ARGV_WORD_BYTES_MAX),
  cwd: nullable(word(PATH_BYTES_MAX)),
  host: nullable(name),
  security: nullable(oneOf(["deny", "allowlist", "full"])),
  ask: nullable(oneOf(["off", "on-miss", "always"])),
  agentId: nullable(agentId),
  resolvedPath: nullable(word(PATH_BYTES_MAX)),
  sessionKey: nullable(sessionKey),
  allowedDecisions: nullable(listOf(name, 0, 16)),
});
export const requestFrame = loosely({
  type: v.literal("request"),
  token: text(0, LINE_BYTES_MAX),
  id: text(0, 512),
  request: askedCommand,
});

/** `exec`: what is signed is the text of `requestJson`, not what it parses to. */
export const execFrame = loosely({
  type: v.literal("exec"),
  id: text(0, 512),
  nonce: text(1, OPENCLAW_NONCE_CHARS_MAX),
  ts: v.pipe(v.number("must be a number"), v.safeInteger("must be a whole number")),
  hmac: text(1, 512),
  requestJson: text(0, LINE_BYTES_MAX),
});

export const execRequest = loosely({
  command: listOf(word(ARGV_WORD_BYTES_MAX), 1, ARGV_WORDS_MAX),
  rawCommand: nullable(text(0, LINE_BYTES_MAX)),
  cwd: nullable(word(PATH_BYTES_MAX)),
  env: nullable(mapOf(text(0, ARGV_WORD_BYTES_MAX))),
  timeoutMs: nullable(duration),
  needsScreenRecording: nullable(flag),
  agentId: nullable(agentId),
  sessionKey: nullable(sessionKey),
  approvalDecision: nullable(oneOf(DECISIONS)),
  approvalToken: nullable(text(1, APPROVAL_TOKEN_BYTES_MAX)),
  binding: nullable(text(1, 512)),
});

export const decisionAnswer = v.strictObject({ type: v.literal("decision"), id: v.string(), decision: oneOf(DECISIONS) });
export const execAnswer = v.union([
  v.strictObject({
    type: v.literal("exec-res"),
    id: v.string(),
    ok: v.literal(true),
    payload: v.strictObject({
      exitCode: v.nullable(v.number()),
      timedOut: v.boolean(),
      success: v.boolean(),
      stdout: v.string(),
      stderr: v.string(),
      error: v.nullable(v.string()),
    }),
  }),
  v.strictObject({
    type: v.literal("exec-res"),
    id: v.string(),
    ok: v.literal(false),
    error: v.strictObject({ code: v.string(), message: v.string(), reason: v.string() }),
  }),
]);

export type AskedCommand = Readonly<v.InferOutput<typeof askedCommand>>;

export function parseAsked(request: JsonValue | undefined): Result<AskedCommand, Denial> {
  return parsed(askedCommand, request);
}

export interface ExecRequest {
  readonly run: RunParams;
  /** Somebody's word that somebody said yes, with nothing that says to what. */
  readonly forwarded: OpenclawDecision | null;
  readonly needsScreenRecording: boolean;
  /** `rawCommand` is how the client showed the command; `false` when that is another command. */
  readonly shownAsRun: boolean;
}

export function parseExecRequest(requestJson: string): Result<ExecRequest, Denial> {
  const value = parseStrictJson(requestJson);
  if (!value.ok) return value;
  const sent = parsed(execRequest, value.value);
  if (!sent.ok) return sent;
  const run = METHODS["system.run"].parse(nativeParams(isJsonObject(value.value) ? value.value : {}));
  if (!run.ok) return run;
  const { command, rawCommand, approvalDecision, needsScreenRecording, binding } = sent.value;
  return ok({
    run: { ...run.value.params, expectedBinding: binding ?? null },
    forwarded: approvalDecision ?? null,
    needsScreenRecording: needsScreenRecording ?? false,
    shownAsRun: rawCommand === null || rawCommand === undefined || rawCommandMatches(rawCommand, command),
  });
}

const CARRIED_OVER = ["cwd", "env", "timeoutMs", "agentId", "sessionKey", "approvalToken"] as const;

function nativeParams(request: JsonObject): JsonObject {
  const given = CARRIED_OVER.filter((key) => request[key] !== undefined && request[key] !== null);
  return { argv: request["command"], ...Object.fromEntries(given.map((key) => [key, request[key]])) };
}

function parsed<const Schema extends v.GenericSchema>(schema: Schema, value: unknown): Result<v.InferOutput<Schema>, Denial> {
  if (!isJsonObject(value)) return fail(invalid("request", "must be an object"));
  const sent = v.safeParse(schema, value, { abortEarly: true, abortPipeEarly: true });
  return sent.success ? ok(sent.output) : fail(complaintOf(sent.issues[0]));
}
