import { lstatSync, realpathSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HASH_CACHE_FILES_MAX, HASH_CACHE_SETTLED_MS } from "../../src/core/limits.ts";
import { createFirstLines, type FirstLines } from "../../src/exec/first-lines.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";
import { absolute } from "./launching.ts";

let scratch: Scratch;
beforeAll(() => {
  scratch = scratchDirectory();
});
afterAll(() => scratch.remove());

const LATER = (): number => Date.now() + HASH_CACHE_SETTLED_MS + 1000;

function script(name: string, interpreter: string): string {
  const path = join(realpathSync(scratch.path), name);
  writeFileSync(path, `#!${interpreter}\n`);
  return path;
}

const found = (lines: FirstLines, path: string, stats = lstatSync(path)): unknown => lines.of(absolute(path), stats);

describe("the first lines of root's programs", () => {
  test("are known from before as long as stat(2) says the same", () => {
    const lines = createFirstLines(LATER);
    const path = script("a", "/bin/sh");
    const before = lstatSync(path);
    expect(found(lines, path)).toEqual({ interpreter: "/bin/sh", argument: null });
    script("a", "/bin/xx");
    // By the old look the old line; a fresh look shows another ctime, whatever was done to the other times.
    utimesSync(path, before.atime, before.mtime);
    expect(found(lines, path, before)).toEqual({ interpreter: "/bin/sh", argument: null });
    expect(found(lines, path)).toEqual({ interpreter: "/bin/xx", argument: null });
  });

  test("are read each time while the file changed a moment ago", () => {
    const lines = createFirstLines(Date.now);
    const path = script("b", "/bin/sh");
    const before = lstatSync(path);
    expect(found(lines, path)).toEqual({ interpreter: "/bin/sh", argument: null });
    script("b", "/bin/xx");
    expect(found(lines, path, before)).toEqual({ interpreter: "/bin/xx", argument: null });
  });

  test("that could not be read for a moment are read the next time", () => {
    const lines = createFirstLines(LATER);
    const path = script("c", "/bin/sh");
    const stats = lstatSync(path);
    renameSync(path, `${path}.gone`);
    expect(found(lines, path, stats)).toBeNull();
    renameSync(`${path}.gone`, path);
    expect(found(lines, path, stats)).toEqual({ interpreter: "/bin/sh", argument: null });
  });

  test("are forgotten, the oldest first, when there are too many", () => {
    const lines = createFirstLines(LATER);
    const first = script("first", "/bin/sh");
    const before = lstatSync(first);
    expect(found(lines, first)).toEqual({ interpreter: "/bin/sh", argument: null });
    for (let index = 0; index < HASH_CACHE_FILES_MAX; index += 1) found(lines, script(`other-${index}`, "/bin/sh"));
    script("first", "/bin/xx");
    expect(found(lines, first, before)).toEqual({ interpreter: "/bin/xx", argument: null });
  });
});
