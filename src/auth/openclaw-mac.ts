/** The MAC of OpenClaw's `exec` frames, protocol section 9. Pure: the order of checks, the clock and the nonces are the dialect's business. */
import { createHmac } from "node:crypto";
import { sameSecret } from "./secret.ts";

export interface OpenclawSigned {
  readonly nonce: string;
  /** Milliseconds, as the number stands in the frame. */
  readonly ts: number;
  /** The exact text that was signed; it is parsed only after the MAC held. */
  readonly requestJson: string;
}

/** Lower-case hex, over UTF-8 bytes. */
export function openclawMac(token: string, { nonce, ts, requestJson }: OpenclawSigned): string {
  return createHmac("sha256", Buffer.from(token, "utf8")).update(`${nonce}:${ts}:${requestJson}`, "utf8").digest("hex");
}

/** Takes the same time whether the first digit is wrong or the last. An empty token signs nothing. */
export function isOpenclawMac(token: string, signed: OpenclawSigned, hmac: string): boolean {
  return token !== "" && sameSecret(openclawMac(token, signed), hmac);
}
