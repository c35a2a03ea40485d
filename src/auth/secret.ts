/** Comparing and proving secrets, in time that tells nothing about them. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { type Sha256, sha256Of } from "../core/sha256.ts";
import type { Role } from "../wire/params/session.ts";

/** Both sides are hashed first, so that neither length nor place of the first difference shows. */
export function sameSecret(expected: string, given: string): boolean {
  return sameDigest(sha256Of(expected), sha256Of(given));
}

export function sameDigest(expected: Sha256, given: Sha256): boolean {
  return timingSafeEqual(Buffer.from(expected, "hex"), Buffer.from(given, "hex"));
}

/** The two nonces of one greeting, and what they were exchanged for. */
export interface Exchange {
  readonly role: Role;
  readonly clientNonce: string;
  readonly serverNonce: string;
}

/** `side` keeps one side's proof from being played back as the other's. */
export function proofOf(token: string, side: "server" | "client", exchange: Exchange): string {
  return createHmac("sha256", Buffer.from(token, "utf8"))
    .update(`countersign-v1\n${side}\n${exchange.role}\n${exchange.clientNonce}\n${exchange.serverNonce}`, "utf8")
    .digest("base64url");
}
