import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseIssuerKey, readApprovalToken, signApprovalToken, type Verification } from "../../src/auth/approval-token.ts";
import { isApprovalId } from "../../src/core/ids.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { TOKEN_CLOCK_SLACK_MS, TOKEN_LIFETIME_MAX_MS, TOKEN_REPLAY_SLACK_MS } from "../../src/core/limits.ts";

const NOW = 1_794_979_409_000;
const SECONDS = NOW / 1000;
const DAY = TOKEN_LIFETIME_MAX_MS / 1000;
const BINDING = `sha256:${"b".repeat(64)}`;
const ID = "7f3c2b1a-0000-4000-8000-000000000000";
const pair = generateKeyPairSync("ed25519");
const localKey = randomBytes(32);
const against: Verification = {
  hostId: "host-1",
  nowMs: NOW,
  localKey,
  trusted: new Map([["gw", { publicKey: pair.publicKey, agents: ["ops-*"] }]]),
};

const part = (value: JsonObject | string): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const claims = (more: JsonObject = {}): JsonObject => ({
  iss: "gw",
  jti: "t1",
  bnd: BINDING,
  aud: "host-1",
  iat: SECONDS,
  exp: SECONDS + 60,
  dec: "allow-once",
  ...more,
});

/** Minted by hand, as a gateway in any language would. */
function minted(payload: JsonObject | string, header: JsonObject = { alg: "EdDSA" }): string {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), pair.privateKey).toString("base64url")}`;
}

function hmacSigned(payload: JsonObject, key: Buffer | string, header: JsonObject = { alg: "HS256" }): string {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

async function reasonOf(token: string, more: Partial<Verification> = {}): Promise<unknown> {
  const read = await readApprovalToken(token, { ...against, ...more });
  if (read.ok) return "accepted";
  expect(read.failure.code).toBe("approval.token-invalid");
  return read.failure.details["reason"];
}

async function local(more: Partial<Parameters<typeof signApprovalToken>[0]> = {}): Promise<string> {
  if (!isApprovalId(ID)) throw new Error("expected an id");
  const approved = {
    approvalId: ID,
    binding: BINDING,
    decision: "allow-always",
    hostId: "host-1",
    issuedAtMs: NOW,
    expiresAtMs: NOW + 1500,
  } as const;
  return signApprovalToken({ ...approved, ...more }, localKey);
}

describe("a local token", () => {
  test("says what was approved, and nothing else makes one", async () => {
    expect(await readApprovalToken(await local(), against)).toEqual({
      ok: true,
      value: {
        issuer: { kind: "local", approvalId: ID },
        binding: BINDING,
        decision: "allow-always",
        issuedAtMs: NOW,
        expiresAtMs: NOW + 2000,
        jti: ID,
        rememberUntilMs: NOW + 2000 + TOKEN_REPLAY_SLACK_MS,
      },
    });
    expect(await reasonOf(await local(), { localKey: randomBytes(32) })).toBe("signature");
    expect(await reasonOf(await local(), { hostId: "host-2" })).toBe("audience");
    expect(await reasonOf(await local(), { nowMs: NOW + 2000 })).toBe("expired");
    expect(await reasonOf(await local({ expiresAtMs: NOW + 30 * TOKEN_LIFETIME_MAX_MS }))).toBe("accepted");
  });

  test("by hand with the right key is one as well, with the wrong claims it is not", async () => {
    const { iss: _, ...own } = claims({ jti: ID });
    expect(await reasonOf(hmacSigned(own, localKey))).toBe("accepted");
    expect(await reasonOf(hmacSigned({ ...own, jti: "t1" }, localKey))).toBe("claims");
    expect(await reasonOf(hmacSigned({ ...own, dec: "deny" }, localKey))).toBe("claims");
    expect(await reasonOf(hmacSigned(own, localKey, { alg: "HS512" }))).toBe("signature");
    expect(await reasonOf(`${part({ alg: "none" })}.${part(own)}.`)).toBe("malformed");
    expect(await reasonOf(`${part({ alg: "none" })}.${part(own)}.AA`)).toBe("signature");
  });
});

describe("a minted token", () => {
  test("is one run, never a pattern, and carries its issuer's agents", async () => {
    expect(await readApprovalToken(minted(claims({ dec: "allow-always" })), against)).toMatchObject({
      ok: true,
      value: { issuer: { kind: "enrolled", iss: "gw", agents: ["ops-*"] }, decision: "allow-once", jti: "t1" },
    });
  });

  test.each<readonly [string, () => string, string]>([
    ["an unknown issuer", () => minted(claims({ iss: "other" })), "issuer"],
    ["an issuer that is no string", () => minted(claims({ iss: ["gw"] })), "issuer"],
    ["no issuer", () => minted(claims({ iss: undefined })), "signature"],
    ["the public key as a shared secret", () => hmacSigned(claims(), pair.publicKey.export({ type: "spki", format: "pem" })), "signature"],
    ["the local key under its name", () => hmacSigned(claims(), localKey), "signature"],
    ["a header that claims another algorithm", () => minted(claims(), { alg: "HS256" }), "signature"],
    ["an unknown critical header", () => minted(claims(), { alg: "EdDSA", crit: ["x"], x: 1 }), "signature"],
    ["another host", () => minted(claims({ aud: "host-2" })), "audience"],
    ["several hosts", () => minted(claims({ aud: ["host-1", "host-2"] })), "audience"],
    ["no host", () => minted(claims({ aud: undefined })), "audience"],
    ["no binding", () => minted(claims({ bnd: undefined })), "claims"],
    ["an upper-case binding", () => minted(claims({ bnd: BINDING.toUpperCase() })), "claims"],
    ["no id", () => minted(claims({ jti: "" })), "claims"],
    ["a deny", () => minted(claims({ dec: "deny" })), "claims"],
    ["no expiry", () => minted(claims({ exp: undefined })), "claims"],
    ["no date", () => minted(claims({ iat: undefined })), "claims"],
    ["a date as text", () => minted(claims({ exp: String(SECONDS + 60) })), "claims"],
    ["an expiry that has come", () => minted(claims({ iat: SECONDS - 60, exp: SECONDS })), "expired"],
    ["more than a day", () => minted(claims({ exp: SECONDS + DAY + 1 })), "lifetime"],
    ["a date far ahead", () => minted(claims({ iat: SECONDS + DAY, exp: SECONDS + 2 * DAY })), "lifetime"],
    ["just beyond the slack", () => minted(claims({ iat: SECONDS + TOKEN_CLOCK_SLACK_MS / 1000 + 1 })), "lifetime"],
    ["duplicate claims", () => minted(JSON.stringify(claims()).replace("{", '{"bnd":"x",')), "malformed"],
    ["no token at all", () => "x", "malformed"],
  ])("with %s is refused", async (_, token, reason) => {
    expect(await reasonOf(token())).toBe(reason);
  });

  test.each<readonly [string, JsonObject]>([
    ["a whole day", { exp: SECONDS + DAY }],
    ["a clock that is a little ahead", { iat: SECONDS + TOKEN_CLOCK_SLACK_MS / 1000 }],
  ])("may hold for %s", async (_, more) => {
    expect(await reasonOf(minted(claims(more)))).toBe("accepted");
  });

  test("with any one character changed is refused", async () => {
    const token = minted(claims());
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(..."AQgw_-.9x".split("")), async (at, char) => {
        const changed = token.slice(0, at) + char + token.slice(at + 1);
        // The last character of a signature carries two bits that say nothing.
        if (
          Buffer.from(changed.split(".")[2] ?? "", "base64url").equals(Buffer.from(token.split(".")[2] ?? "", "base64url")) &&
          changed.startsWith(token.slice(0, token.lastIndexOf(".")))
        )
          return;
        expect(await reasonOf(changed)).not.toBe("accepted");
      }),
      { numRuns: 200 },
    );
  });
});

describe("an issuer's key", () => {
  test("is taken as PEM and as JWK, and nothing but Ed25519", () => {
    const pem = pair.publicKey.export({ type: "spki", format: "pem" }).toString();
    const jwk = JSON.stringify(pair.publicKey.export({ format: "jwk" }));
    for (const text of [pem, jwk]) {
      const key = parseIssuerKey(text);
      expect(key.ok && key.value.equals(pair.publicKey)).toBe(true);
    }
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "pem" }).toString();
    for (const text of ["", "x", "{}", "{", rsa]) expect(parseIssuerKey(text)).toMatchObject({ ok: false });
  });
});
