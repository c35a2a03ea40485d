import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGlob } from "../../src/policy/glob.ts";
import { quickestMs } from "../support/quickest.ts";

describe("a glob", () => {
  const rows: readonly (readonly [pattern: string, text: string, matches: boolean, why: string])[] = [
    ["/a/b", "/a/b", true, "a literal is itself"],
    ["/a/b", "/a/bc", false, "anchored at the end"],
    ["/a/b", "x/a/b", false, "anchored at the start"],
    ["/a/*", "/a/", true, "a star may stand for nothing"],
    ["/a/*", "/a/b/c", false, "a star stops at a slash"],
    ["/a/**", "/a/b/c", true, "two stars do not"],
    ["/a/***", "/a/b/c", true, "three stars are two"],
    ["/a/**/c", "/a/c", false, "two stars do not swallow a slash of the pattern"],
    ["**/c", "/a/b/c", true, "two stars may come first"],
    ["/a/?", "/a/b", true, "one character"],
    ["/a/?", "/a/", false, "not none"],
    ["/a?b", "/a/b", false, "and not a slash"],
    ["/a/*x*y", "/a/1x2x3y", true, "the star that must reach further does"],
    ["/a/**x*/y", "/a/b/x/x2/y", true, "both kinds together"],
    ["/a/[b]", "/a/b", false, "brackets are literal"],
    ["/a/{b,c}", "/a/b", false, "braces are literal"],
    ["/A", "/a", false, "case matters"],
    ["/a.b", "/axb", false, "a dot is a dot"],
    ["", "", true, "nothing is nothing"],
  ];
  test.each(rows)("%s on %s is %s: %s", (pattern, text, matches) => {
    expect(compileGlob(pattern)(text)).toBe(matches);
  });

  test("agrees with the obvious regular expression", () => {
    const piece = fc.constantFrom("a", "b", "/", "*", "**", "?", ".");
    const pattern = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(""));
    const text = fc.array(fc.constantFrom("a", "b", "/", "."), { maxLength: 9 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, text, (glob, subject) => compileGlob(glob)(subject) === asRegex(glob).test(subject)),
      { numRuns: 3000, interruptAfterTimeLimit: 2000 },
    );
  });

  test("takes time in proportion to the text however many stars it has", () => {
    const glob = compileGlob(`/${"*a".repeat(40)}**${"*a".repeat(40)}c`);
    const matching = (length: number): (() => void) => {
      const text = `/${"a".repeat(length)}`;
      return () => expect(glob(text)).toBe(false);
    };
    // Four times the text is four times the work; a matcher that backtracks would not come back at all.
    const small = quickestMs(0, matching(4000));
    expect(quickestMs(16 * small, matching(16_000)) / small).toBeLessThan(16);
  });
});

function asRegex(glob: string): RegExp {
  const source = glob.replace(/\*\*+|[*?.]/g, (piece) =>
    piece.startsWith("**") ? "[^]*" : ({ "*": "[^/]*", "?": "[^/]", ".": "\\." }[piece] ?? piece),
  );
  return new RegExp(`^${source}$`);
}
