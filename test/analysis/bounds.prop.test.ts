/** No input up to a mebibyte makes any part of the judging throw, or think for longer than a tenth of a second. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planCommand } from "../../src/analysis/plan-command.ts";
import { readShellText } from "../../src/analysis/shell-text.ts";
import { tokenize } from "../../src/analysis/tokenize.ts";
import { toArgv } from "../../src/core/argv.ts";
import { COMMAND_TEXT_BYTES_MAX } from "../../src/core/limits.ts";
import { quickestMs } from "../support/quickest.ts";
import { CWD, tableMachine } from "./table-machine.ts";

const MEBIBYTE = 1024 * 1024;
const WITHIN_MS = 500;
const machine = tableMachine();

/** Any bytes at all, taken for UTF-8 or for one character each, and halves of characters that no UTF-8 text can hold. */
const anything = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString("utf8")),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
);

function plan(text: string): void {
  void planCommand({ form: { kind: "command", text }, cwd: CWD, hasStdin: false }, machine);
}

describe("given any bytes", () => {
  const runs = { numRuns: 3000, interruptAfterTimeLimit: 3000 };

  test("the tokenizer answers: commands that can be written again, or a refusal with a column inside the text", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const read = tokenize(text);
        if (read.ok) return read.value.length > 0 && read.value.every(({ argv }) => argv[0] !== "");
        const { column, hint, message } = read.failure;
        return column >= 1 && column <= text.length + 1 && hint !== "" && !/[\n\r]/.test(message);
      }),
      runs,
    );
  });

  test("both readers together answer, and so does a whole plan", () => {
    fc.assert(
      fc.property(anything, (text) => {
        readShellText(text);
        plan(text);
      }),
      runs,
    );
  });

  test("an argument list answers in any form that looks into its words", () => {
    const head = fc.constantFrom(
      "sh -c",
      "bash -ec",
      "env",
      "nice",
      "timeout 5",
      "npx",
      "sed",
      "awk",
      "python3 -c",
      "git",
      "busybox sh -c",
      "xargs",
      "",
    );
    fc.assert(
      fc.property(head, fc.array(anything, { minLength: 1, maxLength: 3 }), (start, words) => {
        const argv = toArgv([...start.split(" ").filter((word) => word !== ""), ...words]);
        if (argv !== null) void planCommand({ form: { kind: "argv", argv }, cwd: CWD, hasStdin: false }, machine);
      }),
      runs,
    );
  });
});

/** As long as a text may be, made of one thing over and over. */
const SHAPES: readonly string[] = [
  "a", " ", "\t", "\n", "'", '"', "\\", "$", "`", "(", ")", "()", "a()", "{", "}", "{}", "[", "*", "~", "#", "=", "!", "&", "|", ";", "<", ">", "é", "😀",
  "a;", "a&&", "a|", "a ", "''", '""', "'\"'\"", '"\'"', "\\a", "\\'", '\\"', '"\\""', "'a'", "$(", "${", "$'", "$\\\n", "<(", "<<", "a=b ", "a () ",
  "sh -c '", "env ", "#a\n", "a\\\n", "\\\\", '"\\', "a:~", "-", "--a=", "a #b ", "\u0301", "\ud800", "\u0000",
]; // biome-ignore format: a table

describe("within a tenth of a second", () => {
  test.each(SHAPES)("a text of as many %j as are read", (shape) => {
    const text = shape.repeat(Math.floor(COMMAND_TEXT_BYTES_MAX / Buffer.byteLength(shape)));
    expect(quickestMs(WITHIN_MS, () => plan(text))).toBeLessThan(WITHIN_MS);
    expect(quickestMs(WITHIN_MS, () => plan(`ls ${text}`))).toBeLessThan(WITHIN_MS);
  });

  test.each(["a", "'", "é", "a;", "$(", "\ud800"])("a mebibyte of %j, which is more than is read", (shape) => {
    const text = shape.repeat(Math.ceil(MEBIBYTE / Buffer.byteLength(shape)));
    expect(quickestMs(WITHIN_MS, () => plan(text))).toBeLessThan(WITHIN_MS);
    expect(readShellText(text).ok).toBe(false);
  });

  test("shells inside shells, each with a longer text of quotes", () => {
    let text = "ls";
    while (Buffer.byteLength(text) < COMMAND_TEXT_BYTES_MAX / 4) text = `sh -c '${text.replaceAll("'", "'\\''")}'`;
    expect(quickestMs(WITHIN_MS, () => plan(text))).toBeLessThan(WITHIN_MS);
  });
});
