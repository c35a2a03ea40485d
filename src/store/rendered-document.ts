/** A document as the bytes of its file, made in slices: whoever else waits for the daemon is served in between. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DOCUMENT_SLICE_CHARS } from "../core/limits.ts";
import { parseSha256, type Sha256 } from "../core/sha256.ts";
import type { ExecDocument } from "../policy/document.ts";
import { documentPieces } from "../policy/render-document.ts";

export interface RenderedDocument {
  readonly slices: readonly Buffer[];
  readonly bytes: number;
  readonly hash: Sha256;
}

export async function rendered(document: ExecDocument): Promise<RenderedDocument> {
  const digest = createHash("sha256");
  const slices: Buffer[] = [];
  let text = "";
  const take = (): void => {
    const slice = Buffer.from(text, "utf8");
    digest.update(slice);
    slices.push(slice);
    text = "";
  };
  for (const piece of documentPieces(document)) {
    text += piece;
    if (text.length < DOCUMENT_SLICE_CHARS) continue;
    take();
    await nextTurn();
  }
  take();
  const hash = parseSha256(digest.digest("hex"));
  if (!hash.ok) throw new Error("node:crypto gave something that is not a sha256");
  return { slices, bytes: slices.reduce((sum, slice) => sum + slice.length, 0), hash: hash.value };
}
