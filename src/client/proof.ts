import { createHmac, timingSafeEqual } from "node:crypto";

export type Role = "gateway" | "operator";

/** What either side shows instead of its token; `side` keeps one side's proof from being played back as the other's. */
export function proofOf(token: string, side: "server" | "client", role: Role, clientNonce: string, serverNonce: string): string {
  return createHmac("sha256", Buffer.from(token, "utf8"))
    .update(`countersign-v1\n${side}\n${role}\n${clientNonce}\n${serverNonce}`, "utf8")
    .digest("base64url");
}

export function sameProof(expected: string, given: string): boolean {
  const a = Buffer.from(expected, "utf8");
  const b = Buffer.from(given, "utf8");
  return a.length === b.length && timingSafeEqual(a, b);
}
