/** Approvals that travel: a compact JWS over what was approved, for this host, for a while, for one use. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { type Denial, denial } from "../core/denial.ts";
import { type ApprovalId, isApprovalId } from "../core/ids.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import {
  APPROVAL_TOKEN_BYTES_MAX,
  TOKEN_CLOCK_SLACK_MS,
  TOKEN_LIFETIME_MAX_MS,
  TOKEN_REPLAY_SLACK_MS,
  WIRE_NAME_BYTES_MAX,
} from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { parseStrictJson } from "../core/strict-json.ts";

export interface ApprovalToken {
  /** A minted token allows one run and never stores a pattern, whatever it says. */
  readonly issuer:
    | { readonly kind: "local"; readonly approvalId: ApprovalId }
    | { readonly kind: "enrolled"; readonly iss: string; readonly agents: readonly string[] | null };
  /** `sha256:…`, to be compared with the binding of the actual request. */
  readonly binding: string;
  readonly decision: "allow-once" | "allow-always";
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** Single use per issuer: to be remembered as spent, through restarts and rotation, until `rememberUntilMs`. */
  readonly jti: string;
  readonly rememberUntilMs: number;
}

/** A gateway that decides elsewhere. Its public key is Ed25519 and signs nothing but EdDSA. */
export interface TrustedIssuer {
  readonly publicKey: KeyObject;
  readonly agents: readonly string[] | null;
}

export interface Verification {
  readonly hostId: string;
  readonly nowMs: number;
  readonly localKey: Uint8Array;
  readonly trusted: ReadonlyMap<string, TrustedIssuer>;
}

export interface LocalApproval {
  readonly approvalId: ApprovalId;
  readonly binding: string;
  readonly decision: "allow-once" | "allow-always";
  readonly hostId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

export async function signApprovalToken(approved: LocalApproval, localKey: Uint8Array): Promise<string> {
  const { SignJWT } = await import("jose");
  const iat = Math.floor(approved.issuedAtMs / 1000);
  // Rounded up, so that the token does not end before the approval; the record is what decides in the end.
  const exp = Math.min(Math.ceil(approved.expiresAtMs / 1000), iat + TOKEN_LIFETIME_MAX_MS / 1000);
  return new SignJWT({ jti: approved.approvalId, bnd: approved.binding, dec: approved.decision, aud: approved.hostId, iat, exp })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(localKey);
}

export async function readApprovalToken(token: string, against: Verification): Promise<Result<ApprovalToken, Denial>> {
  const claimed = unverifiedClaims(token);
  if (claimed === null) return invalid("is not a signed token", "malformed");
  const iss = claimed["iss"];
  if (iss === undefined) return verified(token, "HS256", against.localKey, against, readLocal);
  const issuer = typeof iss === "string" ? against.trusted.get(iss) : undefined;
  if (issuer === undefined) return invalid("comes from an issuer that is not enrolled", "issuer");
  return verified(token, "EdDSA", issuer.publicKey, against, (claims) => readEnrolled(claims, issuer));
}

/** A JWK or PEM as an operator hands it over. */
export function parseIssuerKey(text: string): Result<KeyObject, Denial> {
  const jwk = text.trimStart().startsWith("{") ? parseStrictJson(text) : null;
  try {
    const key =
      jwk === null
        ? createPublicKey(text)
        : createPublicKey({ key: { ...(jwk.ok && isJsonObject(jwk.value) ? jwk.value : {}) }, format: "jwk" });
    if (key.asymmetricKeyType === "ed25519") return ok(key);
  } catch {
    // Said below: whatever it is, it is no such key.
  }
  return fail(denial("wire.invalid-params", "`publicKey` must be an Ed25519 public key as JWK or PEM", { path: "publicKey" }));
}

type Reading = Pick<ApprovalToken, "issuer" | "decision" | "jti">;

async function verified(
  token: string,
  algorithm: "HS256" | "EdDSA",
  key: Uint8Array | KeyObject,
  against: Verification,
  read: (claims: JsonObject) => Reading | null,
): Promise<Result<ApprovalToken, Denial>> {
  const { compactVerify } = await import("jose");
  let payload: Uint8Array;
  try {
    // One algorithm per key: a public key must never be taken for a shared secret (RFC 8725 section 3.1).
    ({ payload } = await compactVerify(token, key, { algorithms: [algorithm] }));
  } catch {
    return invalid("has a wrong signature", "signature");
  }
  const parsed = parseStrictJson(Buffer.from(payload).toString("utf8"));
  const claims = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  const { aud, bnd, iat, exp } = claims;
  if (aud !== against.hostId) return invalid("is for another host", "audience");
  const reading = read(claims);
  if (reading === null || typeof bnd !== "string" || !/^sha256:[0-9a-f]{64}$/.test(bnd))
    return invalid("lacks a claim that it needs", "claims");
  if (typeof iat !== "number" || typeof exp !== "number" || !Number.isInteger(iat) || !Number.isInteger(exp)) {
    return invalid("does not say how long it holds", "claims");
  }
  const [issuedAtMs, expiresAtMs] = [iat * 1000, exp * 1000];
  // One dated ahead would hold longer than a day from now.
  if (expiresAtMs - issuedAtMs > TOKEN_LIFETIME_MAX_MS || issuedAtMs > against.nowMs + TOKEN_CLOCK_SLACK_MS) {
    return invalid("holds longer than 24 hours", "lifetime");
  }
  if (expiresAtMs <= against.nowMs) return invalid("has expired", "expired");
  return ok({ ...reading, binding: bnd, issuedAtMs, expiresAtMs, rememberUntilMs: expiresAtMs + TOKEN_REPLAY_SLACK_MS });
}

function readLocal(claims: JsonObject): Reading | null {
  const { jti, dec } = claims;
  if (typeof jti !== "string" || !isApprovalId(jti) || (dec !== "allow-once" && dec !== "allow-always")) return null;
  return { issuer: { kind: "local", approvalId: jti }, decision: dec, jti };
}

function readEnrolled(claims: JsonObject, issuer: TrustedIssuer): Reading | null {
  const { jti, iss, dec } = claims;
  if (typeof iss !== "string" || typeof jti !== "string" || jti === "" || Buffer.byteLength(jti) > WIRE_NAME_BYTES_MAX) return null;
  if (dec !== "allow-once" && dec !== "allow-always") return null;
  return { issuer: { kind: "enrolled", iss, agents: issuer.agents }, decision: "allow-once", jti };
}

/** Only to find the key by; nothing in it is believed before the signature. */
function unverifiedClaims(token: string): JsonObject | null {
  const parts = token.split(".");
  if (token.length > APPROVAL_TOKEN_BYTES_MAX || parts.length !== 3 || !parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))) return null;
  const claims = parseStrictJson(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
  return claims.ok && isJsonObject(claims.value) ? claims.value : null;
}

function invalid(what: string, reason: string): { readonly ok: false; readonly failure: Denial } {
  return fail(denial("approval.token-invalid", `the approval token ${what}; ask for a new one`, { reason }));
}
