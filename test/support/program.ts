/** The program as it is shipped, or as it was last compiled, whichever is newer: a test must never drive yesterday's code. */
import { statSync } from "node:fs";
import { join } from "node:path";

/** Tests run from `test/` under vitest and from `build/test/` when compiled. */
const CANDIDATES = ["../../build/bin/main.js", "../../build/src/main.js", "../../bin/main.js", "../../src/main.js"];

export const MAIN = newest(CANDIDATES.map((candidate) => join(import.meta.dirname, candidate)));

function newest(paths: readonly string[]): string {
  const built = paths.flatMap((path) => {
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return mtimeMs === undefined ? [] : [{ path, mtimeMs }];
  });
  const found = built.toSorted((a, b) => b.mtimeMs - a.mtimeMs)[0];
  if (found === undefined) throw new Error("there is no build; run `make build` before the live tests");
  return found.path;
}
