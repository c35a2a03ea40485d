import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { flushed, type Key, readKeys } from "../../../src/cli/watch/keys.ts";

const names = (keys: readonly Key[]): readonly string[] =>
  keys.map((key) => (key.kind === "char" ? key.char : key.kind === "named" ? `<${key.name}>` : `<paste ${key.text}>`));

describe("bytes of a terminal", () => {
  test.each([
    { name: "letters are themselves", bytes: "jkö", keys: ["j", "k", "ö"] },
    { name: "return and line feed are enter", bytes: "\r\n", keys: ["<enter>", "<enter>"] },
    { name: "arrows in both modes", bytes: "\u001b[A\u001bOB", keys: ["<up>", "<down>"] },
    { name: "paging", bytes: "\u001b[5~\u001b[6~\u001b[H\u001b[F", keys: ["<page-up>", "<page-down>", "<home>", "<end>"] },
    { name: "control-c and control-d leave", bytes: "\u0003\u0004", keys: ["<interrupt>", "<interrupt>"] },
    { name: "an unknown sequence is one unknown key and not its letters", bytes: "\u001b[1;5oa", keys: ["<other>", "a"] },
    { name: "escape before a letter is escape and the letter", bytes: "\u001bo", keys: ["<escape>", "o"] },
    { name: "a paste is one key whatever it holds", bytes: "\u001b[200~o\ry\u001b[A\u001b[201~j", keys: ["<paste o\ry\u001b[A>", "j"] },
    { name: "other control characters mean nothing", bytes: "\u0000\u0001", keys: ["<other>", "<other>"] },
  ])("$name", ({ bytes, keys }) => {
    const read = readKeys(bytes);
    expect([names(read.keys), read.rest]).toEqual([keys, ""]);
  });

  test("a sequence torn apart by the network is put together again", () => {
    const first = readKeys("j\u001b[");
    expect([names(first.keys), first.rest]).toEqual([["j"], "\u001b["]);
    expect(names(readKeys(`${first.rest}A`).keys)).toEqual(["<up>"]);
  });

  test("a paste that never ends never becomes typing", () => {
    const { keys, rest } = readKeys("\u001b[200~oooo");
    expect(keys).toEqual([]);
    expect(flushed(rest).keys).toEqual([]);
  });

  test("an escape that nothing follows is the escape key", () => {
    expect(names(flushed(readKeys("\u001b").rest).keys)).toEqual(["<escape>"]);
  });

  test("any cut gives the same keys", () => {
    const piece = fc.constantFrom("j", "\r", "\u001b[A", "\u001bOB", "\u001b[5~", "\u001b[200~o\r\u001b[201~", "ö", "\u0003");
    fc.assert(
      fc.property(fc.array(piece), fc.nat(), (pieces, where) => {
        const text = pieces.join("");
        const at = text === "" ? 0 : where % text.length;
        const first = readKeys(text.slice(0, at));
        const second = readKeys(first.rest + text.slice(at));
        expect(names([...first.keys, ...second.keys])).toEqual(names(readKeys(text).keys));
      }),
    );
  });
});
