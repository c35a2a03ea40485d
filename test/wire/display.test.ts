import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import attacks from "../../fixtures/attacks/attacks.json" with { type: "json" };
import { type Argv, toArgv } from "../../src/core/argv.ts";
import { DISPLAY_BYTES_MAX } from "../../src/core/limits.ts";
import { type Display, displayOf, displayOfText, shownWord } from "../../src/wire/display.ts";
import { wordsOf } from "../support/shown-words.ts";

function shown(argv: Argv): Display {
  const display = displayOf(argv);
  if (!display.ok) throw new Error(display.failure.message);
  return display.value;
}

/** Everything that could act on a terminal or hide from a reader. */
const RAW = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

const word = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.string({ unit: fc.constantFrom(...Array.from("ab01'\"\\$`!~=#\n\t \u202e\u200b\u0301\u{e0041}ué-x")), maxLength: 20 }),
);
const words = fc.array(
  word.map((text) => text.replaceAll("\0", "")),
  { minLength: 1, maxLength: 6 },
);

describe("what is shown", () => {
  test.each<readonly [string, Argv, string]>([
    ["plain words stay bare", ["git", "status", "--short", "-C", "/a/b", "--format=%H"], "git status --short -C /a/b --format=%H"],
    ["a space is seen to be inside", ["rm", "-rf", "/ tmp"], "rm -rf '/ tmp'"],
    ["an empty word is there", ["x", "", ""], "x '' ''"],
    ["quotes", ["echo", "it's", 'say "hi"', `'"`], `echo "it's" 'say "hi"' $'\\'"'`],
    [
      "what a shell would act on",
      ["echo", "$(id)", "`id`", "*", "a=b", "~", "#", "!!", "{}"],
      "echo '$(id)' '`id`' '*' 'a=b' '~' '#' '!!' '{}'",
    ],
    ["an assignment in front", ["A=b", "x"], "'A=b' x"],
    ["a line break", ["a\nb"], "$'a\\nb'"],
    ["a backslash that imitates an escape", ["\\n", "\\u202e'"], "'\\n' $'\\\\u202e\\''"],
    ["digits after an escape", ["\u00011", "\u202e0"], "$'\\x011' $'\\u202e0'"],
    ["letters of other scripts", ["echo", "größe", "東京"], "echo 'größe' '東京'"],
    ["right-to-left letters", ["rm", "אב/c"], "rm $'\\u05d0\\u05d1/c'"],
  ])("%s", (_, argv, expected) => {
    expect(shown(argv).command).toBe(expected);
  });

  test("shell text is shown as what runs it", () => {
    expect(displayOfText("ls | wc -l")).toMatchObject({ ok: true, value: { command: "/bin/sh -c 'ls | wc -l'" } });
  });

  test("reading it back gives exactly the words, whatever they are", () => {
    fc.assert(
      fc.property(words, (sent) => {
        const argv = toArgv(sent);
        if (argv === null) return;
        const { command, words: each } = shown(argv);
        expect(command).not.toMatch(RAW);
        expect(wordsOf(command)).toEqual(sent);
        expect(each.flatMap(wordsOf)).toEqual(sent);
      }),
      { numRuns: 2000 },
    );
  });

  test("different commands look different", () => {
    fc.assert(
      fc.property(words, words, (one, other) => {
        const [a, b] = [toArgv(one), toArgv(other)];
        if (a === null || b === null) return;
        expect(shown(a).command === shown(b).command).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 500 },
    );
  });

  test("as long as the limit is shown whole, one byte more is refused", () => {
    expect(shown(["x".repeat(DISPLAY_BYTES_MAX)]).command).toHaveLength(DISPLAY_BYTES_MAX);
    expect(displayOf(["x".repeat(DISPLAY_BYTES_MAX + 1)])).toMatchObject({ ok: false, failure: { code: "display.too-long" } });
    // What is short enough as sent can be too long as shown.
    expect(displayOf(["\u0001".repeat(DISPLAY_BYTES_MAX / 4)])).toMatchObject({ ok: false, failure: { code: "display.too-long" } });
    expect(displayOf(["é".repeat(DISPLAY_BYTES_MAX / 2)])).toMatchObject({ ok: false });
  });
});

describe("a real shell", () => {
  test("reads the shown words back exactly", () => {
    const commands = fc.sample(words, { numRuns: 300, seed: 20_261_118 });
    const hostile = attacks.filter((attack) => attack.class === "display").map(({ given }) => ("argv" in given ? given.argv : []));
    const lists = [...commands, ...hostile].flatMap((list) => toArgv(list) ?? []).map((each) => [each]);
    const script = lists.map((list) => `printf '%s\\0' ${list.map(shownWord).join(" ")}\n`).join("");
    const read = execFileSync("bash", { input: script, env: { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] } });
    expect(
      read.equals(
        Buffer.from(
          lists
            .flat()
            .map((each) => `${each}\0`)
            .join(""),
        ),
      ),
    ).toBe(true);
  });
});

describe("what a reader is warned of", () => {
  test.each<readonly [string, Argv, RegExp | null]>([
    ["a plain command", ["/usr/bin/git", "commit", "-m", "fix the — thing, “quoted” … näher"], null],
    ["Cyrillic prose", ["echo", "привет, мир"], null],
    ["a full-width option", ["rm", "－rf", "/"], /word 2 holds － \(U\+FF0D\), which is not `-`/],
    ["a dash that is none in front", ["rm", "–rf"], /word 2 holds – \(U\+2013\)/],
    ["a minus sign", ["rm", "x −rf"], /U\+2212/],
    ["a slash that is none", ["rm", "a∕b"], /which is not `\/`/],
    ["mathematical letters", ["echo", "𝐫𝐦"], /which is not `r`/],
    ["Cyrillic in a Latin word", ["curl", "https://раypal.com"], /word 2 mixes Latin and Cyrillic letters/],
    ["Greek in a Latin word", ["cat", "pοd"], /mixes Latin and Greek/],
    ["a word that only looks Latin", ["сору", "x"], /word 1 is written in Cyrillic letters that look Latin/],
    ["a program that is not ASCII", ["/usr/bin/größe"], /the program's name is not plain ASCII/],
    ["an override", ["x", "a\u202eb"], /word 2 holds characters that do not show.*U\+202E/],
    ["padding", ["sh", "-c", `echo safe${" ".repeat(300)}; id`], /word 3 holds 300 spaces or line breaks in a row/],
    ["line breaks", ["sh", "-c", `echo safe${"\n".repeat(30)}; id`], /word 3 holds 30 spaces or line breaks/],
    ["length", ["sh", "-c", "x".repeat(5000)], /word 3 is 5000 bytes long/],
    ["loose accents", ["rm", `a${"\u0336".repeat(50)}`], /U\+0336/],
  ])("%s", (_, argv, expected) => {
    const { warnings } = shown(argv);
    if (expected === null) expect(warnings).toEqual([]);
    else expect(warnings.join("\n")).toMatch(expected);
    expect(warnings.join("")).not.toMatch(RAW);
  });

  test("warnings are bounded too", () => {
    const argv = toArgv(Array.from({ length: 200 }, () => "－"));
    expect(argv === null ? 0 : shown(argv).warnings.length).toBeLessThan(50);
  });
});

describe("published display attacks", () => {
  const cases = attacks.filter((attack) => attack.class === "display");
  test.each(cases.map((attack) => [attack.id, attack.title, attack.given] as const))("%s %s", (_, __, given) => {
    const argv = toArgv("argv" in given && Array.isArray(given.argv) ? given.argv.map(String) : []);
    if (argv === null) throw new Error("a display attack has an argv");
    const { command, words: each } = shown(argv);
    expect(command).not.toMatch(RAW);
    expect(wordsOf(command)).toEqual(argv);
    expect(each).toHaveLength(argv.length);
  });

  test("there are some", () => {
    expect(cases.length).toBeGreaterThan(20);
  });
});
