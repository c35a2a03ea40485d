import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWalker } from "../../src/exec/walk.ts";
import { scratchDirectory } from "../support/scratch.ts";

/** Names are few, so that links meet directories, files, each other and themselves. */
const name = fc.constantFrom("a", "b", "c", "d");
const part = fc.oneof({ arbitrary: name, weight: 4 }, fc.constantFrom("..", ".", ""));
const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/"));
const entry = fc.record({
  at: fc.array(name, { minLength: 1, maxLength: 3 }),
  kind: fc.constantFrom("directory", "file", "link"),
  to: path,
  absolute: fc.boolean(),
});

describe("a walk", () => {
  test("ends where the C library's realpath ends, or nowhere where that fails", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 14 }), fc.array(path, { minLength: 5, maxLength: 20 }), (entries, asked) => {
        const scratch = scratchDirectory();
        // So deep that no links together climb out of it: what is planted through them must stay inside.
        const root = join(realpathSync(scratch.path), "n/".repeat(100), "root");
        mkdirSync(root, { recursive: true });
        try {
          for (const each of entries) plant(root, each);
          const walker = createWalker(() => true);
          for (const each of asked) {
            const text = `${root}/${each}`;
            expect(walker.walk(text)?.path ?? null, text).toBe(realPathOf(text));
          }
        } finally {
          scratch.remove();
        }
      }),
      { numRuns: 150 },
    );
  });
});

function plant(root: string, { at, kind, to, absolute }: { at: string[]; kind: string; to: string; absolute: boolean }): void {
  try {
    const place = join(root, ...at);
    mkdirSync(join(place, ".."), { recursive: true });
    if (kind === "directory") mkdirSync(place);
    else if (kind === "file") writeFileSync(place, "");
    else symlinkSync(absolute ? `${root}/${to}` : to === "" ? "." : to, place);
  } catch {
    // Something else lies there already.
  }
}

function realPathOf(text: string): string | null {
  try {
    return realpathSync.native(text);
  } catch {
    return null;
  }
}
