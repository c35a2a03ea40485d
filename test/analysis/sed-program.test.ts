import { expect, test } from "vitest";
import { isHarmlessSedProgram } from "../../src/analysis/sed-program.ts";

test.each([
  "p",
  "1,5p",
  "$d",
  "/a/,/b/p",
  "s/a/b/",
  "s/a/b/gI;s|x|y|2",
  "y/abc/def/",
  "1!G;h;$!d",
  "s/\\//x/g",
  "/x/!s/a/b/p",
  "1~2d",
  "q",
  "\\|x|d",
  "s#a#b#\n2p",
])("%j only edits", (program) => {
  expect(isHarmlessSedProgram(program)).toBe(true);
});

test.each([
  "",
  " ",
  "e",
  "1e id",
  "e id",
  "s/a/b/e",
  "s/a/b/ge",
  "s/a/b/w x",
  "w x",
  "1,5w x",
  "W x",
  "r /etc/passwd",
  "{e\n}",
  "1{p;e id\n}",
  "a\\\ntext",
  "s/a/b",
  "s/a/b/;e",
  "p;e id",
  "v",
  "F",
  "i x",
  "/x/e id",
  "s/x/y/pe",
  "sxaxbxe",
  "b x",
  ":a;e;ba",
])("%j may do more", (program) => {
  expect(isHarmlessSedProgram(program)).toBe(false);
});

test("a long program is answered at once", () => {
  const before = performance.now();
  isHarmlessSedProgram(`s/${"a".repeat(100_000)}`);
  isHarmlessSedProgram("s/a/b/;".repeat(20_000));
  isHarmlessSedProgram(`${" ".repeat(100_000)}x`);
  expect(performance.now() - before).toBeLessThan(1000);
});
