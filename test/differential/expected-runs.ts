import type { SimpleCommand } from "../../src/analysis/tokenize.ts";
import type { Argv } from "../../src/core/argv.ts";

/** How a command ends in a recording shell, and whether it is written down: by its name alone, so that plan and shell agree on it. */
export interface Ending {
  readonly status: number;
  readonly recorded: boolean;
}

/**
 * Which commands of a text run, given how each of them ends: POSIX 2.9.2 and 2.9.3. A pipeline runs whole and ends as its last command
 * does; `&&` and `||` have the same weight and go from left to right; `;` and `&` end a list.
 */
export function expectedRuns(commands: readonly SimpleCommand[], endingOf: (name: string) => Ending): readonly Argv[] {
  const runs: Argv[] = [];
  let skipping = false;
  let status = 0;
  for (const [index, { argv, operator }] of commands.entries()) {
    const before = commands[index - 1]?.operator ?? null;
    if (before === "&&") skipping = status !== 0;
    else if (before === "||") skipping = status === 0;
    else if (before !== "|") skipping = false;
    if (skipping) continue;
    const ending = endingOf(argv[0]);
    if (ending.recorded) runs.push(argv);
    if (operator !== "|") status = ending.status;
  }
  return runs;
}
