/** Saying who one is, listening, and looking after the daemon itself. */
import * as v from "valibot";
import type { Denial } from "../../core/denial.ts";
import type { AgentId } from "../../core/ids.ts";
import { NONCE_BYTES_MIN, REASON_BYTES_MAX, WIRE_NAME_BYTES_MAX } from "../../core/limits.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { invalid } from "../complaint.ts";
import { agentId, exactly, flag, listOf, name, oneOf, oneOfThese, optional, page, text } from "../schema.ts";

export const ROLES = ["gateway", "operator"] as const;
export type Role = (typeof ROLES)[number];

const NONCE_CHARS_MIN = Math.ceil((NONCE_BYTES_MIN * 8) / 6);
const base64url = v.pipe(text(1, WIRE_NAME_BYTES_MAX), v.regex(/^[A-Za-z0-9_-]+$/, "must be base64url without padding"));

export const hello = exactly({
  role: oneOf(ROLES),
  nonce: v.pipe(base64url, v.minLength(NONCE_CHARS_MIN, `must stand for at least ${NONCE_BYTES_MIN} bytes`)),
  agentId: optional(agentId),
});

export const authenticate = exactly(
  {
    token: optional(text(0, WIRE_NAME_BYTES_MAX)),
    proof: optional(text(0, WIRE_NAME_BYTES_MAX)),
    agentId: optional(agentId),
    halfClose: optional(flag),
  },
  oneOfThese("token", "proof"),
);

export interface AuthenticateParams {
  readonly credential: { readonly kind: "token"; readonly token: string } | { readonly kind: "proof"; readonly proof: string };
  readonly agentId: AgentId | null;
  readonly halfClose: boolean;
}

export function authenticateOf(sent: v.InferOutput<typeof authenticate>): Result<AuthenticateParams, Denial> {
  const rest = { agentId: sent.agentId ?? null, halfClose: sent.halfClose ?? false };
  if (sent.token !== undefined && sent.proof === undefined) return ok({ credential: { kind: "token", token: sent.token }, ...rest });
  if (sent.proof !== undefined && sent.token === undefined) return ok({ credential: { kind: "proof", proof: sent.proof }, ...rest });
  return fail(invalid("token", "or `proof` must be given, and not both"));
}

export const TOPICS = [
  "exec.approval.requested",
  "exec.approval.resolved",
  "exec.started",
  "exec.output",
  "exec.finished",
  "exec.denied",
  "policy.changed",
] as const;
export type Topic = (typeof TOPICS)[number];

export const subscribe = exactly({ topics: listOf(oneOf(TOPICS), 1, TOPICS.length) });
/** Without `topics`: all of them. */
export const unsubscribe = exactly({ topics: optional(listOf(oneOf(TOPICS), 1, TOPICS.length)) });

export const nothing = exactly({});
export const tailAudit = exactly(page);

/** `gateway` is the name of a further gateway; without it, the role's own token. */
export const rotateToken = exactly({ role: oneOf(ROLES), gateway: optional(name), drain: optional(flag) });

/** `publicKey` is a JWK or PEM of an Ed25519 key; `agents` are patterns such as `ops-*`. */
export const addTrust = exactly({
  iss: name,
  publicKey: text(1, REASON_BYTES_MAX),
  agents: optional(listOf(name, 1, 256)),
});
export const removeTrust = exactly({ iss: name });
