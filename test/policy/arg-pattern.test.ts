import { expect, test } from "vitest";
import { sha256Of } from "../../src/core/sha256.ts";
import { compileArgPattern, exactArgPattern, loadRegexCompiler, noRegex } from "../../src/policy/arg-pattern.ts";
import { compileRegex } from "../../src/policy/arg-regex.ts";
import { effectiveFor } from "../../src/policy/effective.ts";
import { agent, documentOf } from "./judging.ts";
import { path } from "./table-machine.ts";

test("the exact form is the sha256 of lengths and contents, argv[0] left out", () => {
  const bytes = ["5\0/proj\0", "2\0", "2\0-n\0", "3\0ä!\0"].join("");
  expect(exactArgPattern(["rg", "-n", "ä!"], path("/proj"))).toBe(`sha256:cwd-argv:v1:${sha256Of(bytes)}`);
});

test("no two argument lists share it", () => {
  const cwd = path("/proj");
  const forms = [["x"], ["x", ""], ["x", "a b"], ["x", "a", "b"], ["x", "ab"], ["x", "a\0", "b"]] as const;
  expect(new Set(forms.map((argv) => exactArgPattern([...argv], cwd))).size).toBe(forms.length);
});

test("an expression is tried on the arguments joined by single spaces, all of them", () => {
  const status = compileArgPattern("status( -s)?", compileRegex);
  expect(status(["git", "status", "-s"], path("/"))).toBe(true);
  expect(status(["git", "status", "-s", "x"], path("/"))).toBe(false);
  expect(status(["git", "x", "status"], path("/"))).toBe(false);
  expect(compileArgPattern(".*", compileRegex)(["git", "a\nb"], path("/"))).toBe(false);
});

test("an expression that would make a backtracking engine explode is read in linear time", () => {
  const nested = compileArgPattern("(a+)+b", compileRegex);
  const start = performance.now();
  expect(nested(["x", "a".repeat(20_000)], path("/"))).toBe(false);
  expect(performance.now() - start).toBeLessThan(2000);
});

test("what cannot be compiled matches nothing", () => {
  for (const source of ["(", "(?<=a)b", "\\1", "a{2000000}"]) {
    expect(compileArgPattern(source, compileRegex)(["x", "b"], path("/"))).toBe(false);
  }
  expect(compileArgPattern(".*", noRegex)(["x", "b"], path("/"))).toBe(false);
});

test("the engine is loaded only where an entry needs it", async () => {
  const list = (argPattern: string) =>
    effectiveFor(documentOf({ version: 1, agents: { main: { allowlist: [{ pattern: "/a", argPattern }] } } }), agent("main")).allowlist;
  expect(await loadRegexCompiler(list(exactArgPattern(["x"], path("/"))))).toBe(noRegex);
  expect(await loadRegexCompiler(list("x.*"))).toBe(compileRegex);
});
