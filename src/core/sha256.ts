import { hash } from "node:crypto";
import type { Brand } from "./brand.ts";
import { fail, ok, type Result } from "./result.ts";

/** Sixty-four lowercase hex digits. Made only by parseSha256 and sha256Of. */
export type Sha256 = Brand<string, "Sha256">;

export function parseSha256(text: string): Result<Sha256, "not-a-sha256"> {
  return isSha256(text) ? ok(text) : fail("not-a-sha256");
}

export function sha256Of(bytes: Uint8Array | string): Sha256 {
  const hex = hash("sha256", bytes, "hex");
  if (!isDigest(hex)) throw new Error("node:crypto gave something that is not a sha256");
  return hex;
}

/** What node:crypto calls hex is hex; only its length could be another digest's. */
function isDigest(hex: string): hex is Sha256 {
  return hex.length === 64;
}

function isSha256(text: string): text is Sha256 {
  return /^[0-9a-f]{64}$/.test(text);
}
