/** Help, written out of the command table. */

import type { Command, Flag, Io, Operand } from "./command.ts";
import { COMMANDS, GROUPS } from "./commands.ts";
import { SHARED_FLAGS } from "./flags.ts";
import { twoColumns } from "./layout.ts";
import { painter } from "./paint.ts";
import { wrapped } from "./width.ts";

export function overview(io: Io): readonly string[] {
  const paint = painter(io.colour);
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    ...wrapped(`${paint.bold("countersign")}: runs exactly what was approved, once, or nothing`, io.columns(), "  "),
    "",
    "usage: countersign COMMAND [flags]",
    ...GROUPS.flatMap(({ title, commands }) => [
      "",
      paint.bold(title),
      ...commands.flatMap(({ name, summary }) => twoColumns(name, summary, width, io.columns(), paint.cyan)),
    ]),
    "",
    ...wrapped(
      "`countersign help COMMAND` says more about one. Every command takes --state-dir, --socket, --token-file and --json.",
      io.columns(),
    ),
  ];
}

/** `countersign help token`: what there is under one word. */
export function groupHelp(word: string, io: Io): readonly string[] {
  const paint = painter(io.colour);
  const members = COMMANDS.filter(({ name }) => name === word || name.startsWith(`${word} `));
  const width = Math.max(...members.map(({ name }) => name.length));
  return [
    ...wrapped(`usage: countersign ${word} ${members.map(({ name }) => name.slice(word.length + 1)).join("|")}`, io.columns(), "         "),
    "",
    ...members.flatMap(({ name, summary }) => twoColumns(name, summary, width, io.columns(), paint.cyan)),
  ];
}

export function commandHelp(command: Command, io: Io): readonly string[] {
  const paint = painter(io.colour);
  const columns = io.columns();
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", paint.bold(title), ...lines];
  const rows = (entries: readonly (readonly [string, string])[]): readonly string[] => {
    const width = Math.max(0, ...entries.map(([left]) => left.length));
    return entries.flatMap(([left, right]) => twoColumns(left, right, width, columns, paint.cyan));
  };
  return [
    ...wrapped(`${paint.bold(`countersign ${command.name}`)}: ${command.summary}`, columns),
    "",
    ...wrapped(`usage: ${usageLine(command)}`, columns, "         "),
    ...(command.details ?? []).flatMap((paragraph) => ["", ...wrapped(paragraph, columns)]),
    ...section("Operands", rows((command.operands ?? []).map((operand) => [operand.name, operand.summary]))),
    ...section("Flags", rows(Object.entries(command.flags ?? {}).map(flagRow))),
    ...section("Shared flags", rows(Object.entries(SHARED_FLAGS).map(flagRow))),
    ...section(
      "Examples",
      (command.examples ?? []).flatMap(({ line, does }) => [
        `  ${paint.cyan(line)}`,
        ...wrapped(does, columns - 6).map((text) => `      ${text}`),
      ]),
    ),
  ];
}

export function usageLine(command: Command): string {
  const flags = Object.entries(command.flags ?? {}).map(([name, flag]) => `[${flagText(name, flag)}]${flag.repeated === true ? "…" : ""}`);
  const operands = (command.operands ?? []).map(operandText);
  return ["countersign", command.name, ...flags, ...operands].join(" ");
}

/** For an error: what to write, without every flag there is. */
export function briefUsage(command: Command): string {
  const flags = Object.keys(command.flags ?? {}).length === 0 ? [] : ["[flags]"];
  return ["countersign", command.name, ...flags, ...(command.operands ?? []).map(operandText)].join(" ");
}

function operandText({ name, optional, rest }: Operand): string {
  const text = rest === "command" ? `-- ${name}…` : rest === "words" ? `${name}…` : name;
  return optional === true ? `[${text}]` : text;
}

function flagText(name: string, flag: Flag): string {
  const value = flag.choices?.join("|") ?? flag.value;
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function flagRow([name, flag]: readonly [string, Flag]): readonly [string, string] {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  return [`${short}${flagText(name, flag)}`, flag.repeated === true ? `${flag.summary} (may be repeated)` : flag.summary];
}
