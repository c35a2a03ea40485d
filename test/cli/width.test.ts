import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnsOf, cut, folded, wrapped } from "../../src/cli/width.ts";
import { shownWord } from "../../src/wire/display.ts";

describe("columns", () => {
  test.each([
    ["plain", 5],
    ["größe", 5],
    ["漢字", 4],
    ["😀", 2],
    ["कि", 1],
    ["\u001b[31mred\u001b[39m", 3],
  ])("%s takes %d", (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  test("what is cut says so and fits", () => {
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("漢字漢字", 4)).toBe("漢…");
    expect(cut("abcd", 4)).toBe("abcd");
  });

  test("folding leaves nothing out, tears no escape apart, and every line fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 12, max: 40 }), (word, columns) => {
        const shown = shownWord(word);
        const lines = folded(shown, columns);
        expect(lines.join("")).toBe(shown);
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        for (const line of lines.slice(0, -1)) expect(line).not.toMatch(/(?<!\\)(?:\\\\)*\\(?:x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?$/);
      }),
    );
  });

  test("a sentence breaks between words, a path between its names, and hangs where it is told to", () => {
    expect(wrapped("there is no socket at `/srv/state/countersign/exec-approvals.sock`; start it", 30, "  ")).toEqual([
      "there is no socket at",
      "  `/srv/state/countersign/",
      "  exec-approvals.sock`; start",
      "  it",
    ]);
    expect(wrapped("a".repeat(12), 10)).toEqual(["a".repeat(10), "aa"]);
  });

  test("wrapping leaves nothing out but the spaces at which it breaks, and every line fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", "/", " ", "\u6f22") }), fc.integer({ min: 8, max: 40 }), (text, columns) => {
        const lines = wrapped(text, columns, "  ");
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });
});
