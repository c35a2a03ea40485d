import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SHOWN_TEXT_CHARS_MAX } from "../../src/core/limits.ts";
import { shownText } from "../../src/wire/shown-text.ts";

describe("text that somebody else chose", () => {
  test.each([
    { name: "plain", text: "agent:main/x y", shown: "agent:main/x y" },
    { name: "letters of other scripts", text: "größe 東京 мир नमस्ते", shown: "größe 東京 мир नमस्ते" },
    { name: "a line break", text: "a\r\nb", shown: "a\\r\\nb" },
    { name: "a terminal escape", text: "\u001b[2K", shown: "\\x1b[2K" },
    { name: "bidi override", text: "a\u202eb", shown: "a\\u202eb" },
    { name: "an imitated escape", text: "\\u202e", shown: "\\\\u202e" },
    { name: "a backtick", text: "`", shown: "\\x60" },
    { name: "right-to-left letters", text: "א/ב", shown: "\\u05d0/\\u05d1" },
    { name: "loose accents", text: "e\u0301", shown: "e\\u0301" },
    { name: "a tag character", text: "\u{e0041}", shown: "\\U000e0041" },
    { name: "a pile of vowel signs", text: `क${"ि".repeat(4)}`, shown: "किि\\u093f\\u093f" },
  ])("$name", ({ text, shown }) => {
    expect(shownText(text)).toBe(shown);
  });

  test("is cut at the bound and then says how long it was", () => {
    expect(shownText("x".repeat(SHOWN_TEXT_CHARS_MAX))).toBe("x".repeat(SHOWN_TEXT_CHARS_MAX));
    expect(shownText("é".repeat(SHOWN_TEXT_CHARS_MAX + 1))).toBe(
      `${"é".repeat(SHOWN_TEXT_CHARS_MAX)}… (${SHOWN_TEXT_CHARS_MAX * 2 + 2} bytes in all)`,
    );
    expect(shownText("😀".repeat(5000), 3)).toBe("😀😀😀… (20000 bytes in all)");
  });

  test("never holds a control, a bidi character or a line break, and different texts look different", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ unit: "binary", maxLength: 40 }), (one, other) => {
        expect(shownText(one)).not.toMatch(/[\p{C}\u2028\u2029]/u);
        expect(shownText(one) === shownText(other)).toBe(one === other);
      }),
      { numRuns: 500 },
    );
  });
});
