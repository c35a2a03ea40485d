/** A directory of its own for a test, short enough for a socket's path (unix(7) gives 107 bytes), and gone afterwards. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Scratch {
  readonly path: string;
  remove(): void;
}

export function scratchDirectory(): Scratch {
  const path = mkdtempSync(join(tmpdir(), "cs-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
