import * as fc from "fast-check";
import JSON5 from "json5";
import { describe, expect, test } from "vitest";
import { parseTree, placeOf, type Tree } from "../../src/config/json5-tree.ts";
import { NESTING_DEPTH_MAX } from "../../src/core/limits.ts";

function plain(tree: Tree): unknown {
  switch (tree.kind) {
    case "scalar":
      return tree.value;
    case "list":
      return tree.items.map(plain);
    case "object":
      return Object.fromEntries(tree.members.map(({ key, value }) => [key, plain(value)]));
  }
}

function treeOf(text: string): Tree {
  const tree = parseTree(text);
  if (!tree.ok) throw new Error(tree.failure.message);
  return tree.value;
}

describe("a JSON5 tree", () => {
  test("knows the place of every key and value, past comments, quotes and trailing commas", () => {
    const text = "{\n  // a comment with { and \"\n  'a b': [1, /* , */ .5,],\n  c: 'x\\'y',\n}";
    const tree = treeOf(text);
    expect(plain(tree)).toEqual({ "a b": [1, 0.5], c: "x'y" });
    if (tree.kind !== "object") throw new Error("an object");
    expect(tree.members.map(({ keyAt }) => placeOf(text, keyAt))).toEqual([
      { line: 3, column: 3 },
      { line: 4, column: 3 },
    ]);
    expect(placeOf(text, tree.members[1]?.value.at ?? 0)).toEqual({ line: 4, column: 6 });
  });

  test("reads every token as the json5 package does", () => {
    for (const text of ["{\\u0061b: 0x1F}", "[+1, -.5e3, Infinity, 'a\\\nb', \"\\x41\"]", "{ключ: null, $_: true}", "\ufeff 1"]) {
      expect(plain(treeOf(text))).toEqual(JSON5.parse(text));
    }
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"), (value, space) => {
        for (const text of [JSON.stringify(value), JSON5.stringify(value, null, space)]) {
          // The package writes these two out as they are, and we refuse them.
          if (!/[\u2028\u2029]/.test(text)) expect(plain(treeOf(text))).toEqual(JSON5.parse(text));
        }
      }),
    );
  });

  test("keeps both of two equal keys, for someone to complain about", () => {
    const tree = treeOf("{a: 1, 'a': 2}");
    expect(tree.kind === "object" && tree.members.map(({ key }) => key)).toEqual(["a", "a"]);
  });

  test("names the place of a syntax fault", () => {
    for (const [text, line, column] of [
      ["{a: 1,\n b: @}", 2, 5],
      ["{a: 1", 1, 6],
      ["", 1, 1],
    ] as const) {
      const tree = parseTree(text);
      expect(tree.ok).toBe(false);
      if (!tree.ok) expect(placeOf(text, tree.failure.at)).toEqual({ line, column });
    }
  });

  test("refuses an invisible line separator instead of letting the package warn on standard error", () => {
    expect(parseTree("{a: '\u2028'}")).toMatchObject({ ok: false, failure: { at: 5 } });
  });

  test("goes 64 levels deep and not one more", () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    expect(parseTree(nested(NESTING_DEPTH_MAX + 1)).ok).toBe(true);
    expect(parseTree(nested(NESTING_DEPTH_MAX + 2)).ok).toBe(false);
    expect(parseTree(nested(100_000)).ok).toBe(false);
  });
});
