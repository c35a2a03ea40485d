import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readShellText } from "../../src/analysis/shell-text.ts";
import { tokenize } from "../../src/analysis/tokenize.ts";
import { COMMAND_TEXT_BYTES_MAX, SEGMENTS_MAX } from "../../src/core/limits.ts";
import { quickestMs } from "../support/quickest.ts";

function commandsOf(text: string): unknown {
  const read = readShellText(text);
  return read.ok
    ? read.value.map(({ argv, operator }) => (operator === null ? [...argv] : [...argv, { op: operator }]))
    : read.failure.reason;
}

describe("what is understood", () => {
  test.each([
    ["plain words", "git log --oneline -n 5", [["git", "log", "--oneline", "-n", "5"]]],
    ["blanks of both kinds", " ls\t -l ", [["ls", "-l"]]],
    [
      "five operators",
      "a | b && c || d ; e & f",
      [["a", { op: "|" }], ["b", { op: "&&" }], ["c", { op: "||" }], ["d", { op: ";" }], ["e", { op: "&" }], ["f"]],
    ],
    ["operators without blanks", "a|b&&c", [["a", { op: "|" }], ["b", { op: "&&" }], ["c"]]],
    ["a trailing semicolon joins nothing", "a; b;", [["a", { op: ";" }], ["b"]]],
    ["a trailing ampersand is kept", "a &", [["a", { op: "&" }]]],
    ["single quotes hold everything", "echo '$(id) `x` > \\ \n \"'", [["echo", '$(id) `x` > \\ \n "']]],
    ["double quotes hold blanks and operators", 'echo "a && b; (c) > d *"', [["echo", "a && b; (c) > d *"]]],
    ["four escapes count in double quotes", 'echo "\\" \\\\ \\$ \\` \\n"', [["echo", '" \\ $ ` \\n']]],
    ["a backslash makes the next character plain", "echo \\$HOME \\; a\\ b \\*", [["echo", "$HOME", ";", "a b", "*"]]],
    ["pieces join into one word", `echo a'b'"c"\\d`, [["echo", "abcd"]]],
    ["an empty word is a word", "echo '' \"\"", [["echo", "", ""]]],
    ["a quote in the usual way", "echo 'it'\\''s'", [["echo", "it's"]]],
    ["the test command", "[ -f x ] && ls", [["[", "-f", "x", "]", { op: "&&" }], ["ls"]]],
    ["an empty pair of braces", "find . -name x -exec rm {} \\;", [["find", ".", "-name", "x", "-exec", "rm", "{}", ";"]]],
    [
      "signs inside words",
      "git show HEAD~1 a#b k=v c^ x:y 50% @{}u",
      [["git", "show", "HEAD~1", "a#b", "k=v", "c^", "x:y", "50%", "@{}u"]],
    ],
    ["letters of any script", "echo café 日本 ٣", [["echo", "café", "日本", "٣"]]],
  ])("%s", (_name, text, wanted) => {
    expect(commandsOf(text)).toEqual(wanted);
  });
});

describe("what is refused, and how heavily", () => {
  test.each([
    ["echo a > b", "redirection", "outright", 8],
    ["echo a 2>&1", "redirection", "outright", 9],
    ["ls &> x", "redirection", "outright", 4],
    ["cat <<EOF", "heredoc", "outright", 5],
    ["cat <<< x", "redirection", "outright", 5],
    ["cat <(ls)", "process-substitution", "outright", 5],
    ["echo $(id)", "command-substitution", "outright", 6],
    ["echo `id`", "command-substitution", "outright", 6],
    ['echo "`id`"', "command-substitution", "outright", 7],
    ['echo "$\\\n(id)"', "command-substitution", "outright", 7],
    ["echo $((1))", "arithmetic", "outright", 6],
    ["(ls)", "subshell", "outright", 1],
    ["echo \\$(id)", "subshell", "outright", 8],
    ["echo $HOME", "variable", "miss", 6],
    ["echo $'a'", "dollar-quote", "miss", 6],
    ["echo *.ts", "glob", "miss", 6],
    ["[[ a ]]", "glob", "miss", 1],
    ["echo [a]", "glob", "miss", 6],
    ["echo ]", "glob", "miss", 6],
    ["echo {a,b}", "brace", "miss", 6],
    ["{ ls; }", "brace", "miss", 1],
    ["ls ~", "tilde", "miss", 4],
    ["ls a=~/x", "tilde", "miss", 6],
    ["ls ''~", "tilde", "miss", 6],
    ["=ls", "equals", "miss", 1],
    ["ls # x > y", "comment", "miss", 4],
    ["a\nb", "newline", "miss", 2],
    ["a \\\nb", "newline", "miss", 3],
    ["a\rb", "control", "miss", 2],
    ["a\0b", "control", "miss", 2],
    ["a\u00a0b", "non-ascii", "miss", 2],
    ["a \ud800", "ill-formed", "miss", 3],
    ["echo 'a", "unterminated-quote", "miss", 6],
    ['echo "a\\', "unterminated-quote", "miss", 6],
    ["echo a\\", "unterminated-quote", "miss", 7],
    ["X=1 ls", "assignment", "miss", 1],
    ["if true; then ls; fi", "keyword", "miss", 1],
    ["a; ! b", "keyword", "miss", 4],
    ["time ls", "keyword", "miss", 1],
    ["ls() a", "function", "miss", 3],
    ["-x", "command-name", "miss", 1],
    ["'' x", "command-name", "miss", 1],
    ["%1", "command-name", "miss", 1],
    ["", "empty", "miss", 1],
    [" \t", "empty", "miss", 1],
    ["&& ls", "dangling-operator", "miss", 1],
    ["ls ||", "dangling-operator", "miss", 6],
    ["a | | b", "dangling-operator", "miss", 5],
    ["a ;; b", "unsupported-operator", "miss", 3],
    ["a |& b", "unsupported-operator", "miss", 3],
    ["a &! b", "unsupported-operator", "miss", 3],
    ["echo $X > y", "redirection", "outright", 9],
    ["for i in a; do b; done > c", "redirection", "outright", 24],
  ])("%j is %s", (text, reason, weight, column) => {
    const read = readShellText(text);
    expect(read.ok ? "understood" : { reason: read.failure.reason, weight: read.failure.weight, column: read.failure.column }).toEqual({
      reason,
      weight,
      column,
    });
  });

  test("a refusal shows where, and what to write instead, on one line", () => {
    const read = tokenize("echo é\u0007 hi");
    expect(read.ok ? null : read.failure).toEqual({
      weight: "miss",
      reason: "control",
      message: "`\\u{7} hi` is a control character",
      column: 7,
      excerpt: "\\u{7} hi",
      hint: "remove the character, or put it inside single quotes",
    });
  });

  test("text for a Windows shell is never understood", () => {
    const read = readShellText("dir", "win32");
    expect(read.ok ? null : read.failure.reason).toBe("windows-metachar");
  });
});

describe("bounds", () => {
  test("a text of exactly the limit is read, one byte more is refused", () => {
    expect(tokenize(`echo ${"a".repeat(COMMAND_TEXT_BYTES_MAX - 5)}`).ok).toBe(true);
    expect(commandsOf(`echo ${"a".repeat(COMMAND_TEXT_BYTES_MAX - 4)}`)).toBe("too-long");
    expect(commandsOf(`echo ${"é".repeat(COMMAND_TEXT_BYTES_MAX / 2)}`)).toBe("too-long");
  });

  test("the last command within the limit is read, one more refuses all of them", () => {
    expect(tokenize(Array(SEGMENTS_MAX).fill("true").join(";")).ok).toBe(true);
    expect(
      commandsOf(
        Array(SEGMENTS_MAX + 1)
          .fill("true")
          .join(";"),
      ),
    ).toBe("too-many-commands");
    expect(commandsOf("true &".repeat(SEGMENTS_MAX + 1))).toBe("too-many-commands");
  });
});

describe("any input at all", () => {
  const shellish = fc
    .array(fc.constantFrom(...Array.from("abc'\"\\$`|&;<>(){}[]*?~#=! \t\n\r\0é\u00a0😀\ud800-+%:/,.@^")), { maxLength: 200 })
    .map((list) => list.join(""));
  const anything = fc.oneof(
    shellish,
    fc.string({ unit: "binary", maxLength: 400 }),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  );

  test("is answered, with a column inside the text", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const read = readShellText(text);
        if (read.ok) return read.value.length > 0 && read.value.every(({ argv }) => argv.every((word) => !word.includes("\0")));
        return read.failure.column >= 1 && read.failure.column <= Array.from(text).length + 1 && !/[\n\r]/.test(read.failure.message);
      }),
      { numRuns: 3000, interruptAfterTimeLimit: 3000 },
    );
  });

  test.each([
    "a",
    "a ",
    "''",
    '""',
    "a;",
    "$",
    "\\",
    "'",
    "(",
    "$(",
    "()",
    "a()",
    "$\\\n",
    "#",
    "é",
    "\ud800",
    "{}",
    "a&",
    "~",
    "=:~",
    '"\\',
  ])("of a mebibyte of %j, or as much as is read, is answered in no time that anybody notices", (unit) => {
    for (const length of [1024 * 1024, COMMAND_TEXT_BYTES_MAX]) {
      const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      expect(quickestMs(100, () => void readShellText(text))).toBeLessThan(100);
    }
  });
});
