import * as fc from "fast-check";
import { expect, test } from "vitest";
import { indexPaths } from "../../src/policy/allowlist-index.ts";
import { compileGlob } from "../../src/policy/glob.ts";
import { quickestMs } from "../support/quickest.ts";

test("finds exactly what trying every pattern in turn finds, in the same order", () => {
  const part = fc.constantFrom("a", "b", "rg", "*", "**", "?", "r*", "**g");
  const pattern = fc
    .tuple(fc.constantFrom("/", ""), fc.array(part, { minLength: 1, maxLength: 4 }))
    .map(([root, parts]) => root + parts.join("/"));
  const subject = fc.array(fc.constantFrom("a", "b", "rg", "r"), { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 12 }), subject, (patterns, path) => {
      const index = indexPaths(patterns.map((each, item) => ({ pattern: each, item })));
      const naive = patterns.flatMap((each, item) => (compileGlob(each)(path) ? [item] : []));
      expect(index.matching(path)).toEqual(naive);
    }),
    { numRuns: 2000, interruptAfterTimeLimit: 3000 },
  );
});

const SHAPES: readonly { readonly shape: string; readonly of: (n: number) => string; readonly path: string }[] = [
  { shape: "literal paths", of: (n) => `/opt/tools/bin/tool-${n}`, path: "/opt/tools/bin/tool-7" },
  { shape: "globs that differ in their directory", of: (n) => `/opt/t${n}/**/rg`, path: "/opt/t7/x/rg" },
  { shape: "globs that differ in their name", of: (n) => `/home/u/**/bin/tool-${n}`, path: "/home/u/x/bin/tool-7" },
  { shape: "globs that differ at the end of their name", of: (n) => `/opt/bin/*-tool-${n}`, path: "/opt/bin/my-tool-7" },
  { shape: "globs that differ in the middle of a name", of: (n) => `/opt/bin/tool-${n}-*`, path: "/opt/bin/tool-7-linux" },
];

test.each(SHAPES)("a look-up among 100,000 $shape costs at most ten times one among 10", ({ of, path }) => {
  const lookup = (count: number): (() => void) => {
    const index = indexPaths(Array.from({ length: count }, (_, item) => ({ pattern: of(item), item })));
    expect(index.matching(path)).toEqual([7]);
    return () => {
      for (let i = 0; i < 2000; i += 1) index.matching(path);
    };
  };
  const fewMs = quickestMs(0, lookup(10));
  expect(quickestMs(10 * fewMs, lookup(100_000)) / fewMs).toBeLessThan(10);
});
