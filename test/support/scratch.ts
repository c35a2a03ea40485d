/** A directory of its own for a test, short enough for a socket's path (unix(7) gives 107 bytes), and gone afterwards. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Scratch {
  readonly path: string;
  remove(): void;
}

/** Those of a process that ends before its time go with it. */
const left = new Set<string>();
process.once("exit", () => {
  for (const path of left) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
});

export function scratchDirectory(): Scratch {
  const path = mkdtempSync(join(tmpdir(), "cs-test-"));
  left.add(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      left.delete(path);
    },
  };
}
