/** The command table as a shell needs it to complete a line: which words may follow, and what a value is. */
import type { Command, Flag } from "../command.ts";
import { SHARED_FLAGS } from "../flags.ts";

export interface Vocabulary {
  readonly commands: readonly Word[];
  /** Words that are followed by another word of the name: `token`, `audit`. */
  readonly families: readonly { readonly name: string; readonly members: readonly Word[] }[];
  readonly entries: readonly Entry[];
}

export interface Word {
  readonly word: string;
  readonly summary: string;
}

export interface Entry {
  readonly name: string;
  readonly flags: readonly CompletedFlag[];
  readonly operand: Completed;
}

export interface CompletedFlag extends Word {
  readonly shared: boolean;
  readonly short: string | null;
  /** `null` for a switch. */
  readonly value: Completed | null;
  readonly label: string;
}

/** What can stand there: one of some words, a path, the id of something that waits, another command line, or anything. */
export type Completed =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "file" | "directory" | "waiting" | "command" | "anything" | "nothing" };

export function vocabularyOf(commands: readonly Command[]): Vocabulary {
  const families = [...new Set(commands.filter(({ name }) => name.includes(" ")).map(({ name }) => firstOf(name)))];
  const alone = commands.filter(({ name }) => !name.includes(" "));
  return {
    commands: [
      ...alone.map(({ name, summary }) => ({ word: name, summary })),
      ...families.map((name) => ({
        word: name,
        summary: membersOf(commands, name)
          .map(({ word }) => word)
          .join(", "),
      })),
      { word: "help", summary: "say what a command does and takes" },
    ],
    families: families.map((name) => ({ name, members: membersOf(commands, name) })),
    entries: commands.map((command) => ({ name: command.name, flags: flagsOf(command), operand: operandOf(command) })),
  };
}

function membersOf(commands: readonly Command[], family: string): readonly Word[] {
  return commands
    .filter(({ name }) => name.startsWith(`${family} `))
    .map(({ name, summary }) => ({ word: name.slice(family.length + 1), summary }));
}

function firstOf(name: string): string {
  return name.split(" ")[0] ?? name;
}

function flagsOf({ flags = {} }: Command): readonly CompletedFlag[] {
  return Object.entries({ ...flags, ...SHARED_FLAGS }).map(([name, flag]) => ({
    word: name,
    shared: Object.hasOwn(SHARED_FLAGS, name),
    summary: flag.summary,
    short: flag.short ?? null,
    value: valueOf(flag),
    label: flag.value ?? "",
  }));
}

function valueOf({ value, choices }: Flag): Completed | null {
  if (choices !== undefined) return { kind: "choices", choices };
  switch (value) {
    case undefined:
      return null;
    case "FILE":
    case "PATH":
      return { kind: "file" };
    case "DIR":
      return { kind: "directory" };
    default:
      return { kind: "anything" };
  }
}

function operandOf({ operands = [] }: Command): Completed {
  const [first] = operands;
  if (first === undefined) return { kind: "nothing" };
  if (first.rest === "command") return { kind: "command" };
  if (first.choices !== undefined) return { kind: "choices", choices: first.choices };
  if (first.name === "ID") return { kind: "waiting" };
  return { kind: first.name === "FILE" ? "file" : "anything" };
}
