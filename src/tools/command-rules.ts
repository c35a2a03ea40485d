import { readShellText } from "../analysis/shell-text.ts";
import type { CommandRule } from "./tool-config.ts";

/**
 * Which commands an agent may ask for at all, by their first words: `pitlane …` and nothing else. It stands before the exec policy and
 * replaces none of it; what comes through here is still analysed, bound and approved.
 */
export interface CommandRules {
  /** Why the command is refused, or `null`. */
  judge(command: AskedCommand): string | null;
}

export interface AskedCommand {
  readonly words: string | readonly string[];
  /** Variables that the request sets for it. */
  readonly variables: readonly string[];
}

/** One assignment in front of a command, with a value that means the same to every shell. */
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=([A-Za-z0-9_./:@%+,-]*)[ \t]+/;

export function compileCommands(rules: readonly CommandRule[]): CommandRules {
  return {
    judge({ words, variables }) {
      if (typeof words !== "string") return objection(rules, [words], variables);
      const { names, rest } = withoutAssignments(words);
      const read = readShellText(rest);
      if (!read.ok) return "the command cannot be read with certainty";
      const commands = read.value.map(({ argv }) => argv);
      // Assignments stand before the first command alone, and would not hold for the others.
      if (names.length > 0 && commands.length > 1) return "variables are set in front of one command only";
      return objection(rules, commands, [...variables, ...names]);
    },
  };
}

function objection(rules: readonly CommandRule[], commands: readonly (readonly string[])[], variables: readonly string[]): string | null {
  if (commands.length === 0) return "there is no command";
  const fits = (argv: readonly string[]): readonly CommandRule[] => rules.filter(({ prefix = [] }) => startsWith(argv, prefix));
  if (commands.some((argv) => fits(argv).length === 0)) return "the command does not begin as one that is listed";
  const isCovered = commands.every((argv) => fits(argv).some((rule) => variables.every((name) => (rule.variables ?? []).includes(name))));
  return isCovered ? null : "it sets a variable that is not listed";
}

function startsWith(argv: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, index) => argv[index] === word);
}

function withoutAssignments(text: string): { readonly names: readonly string[]; readonly rest: string } {
  const names: string[] = [];
  let rest = text;
  for (let found = ASSIGNMENT.exec(rest); found !== null; found = ASSIGNMENT.exec(rest)) {
    names.push(found[1] ?? "");
    rest = rest.slice(found[0].length);
  }
  return { names, rest };
}
