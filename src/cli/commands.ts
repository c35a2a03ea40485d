/** The one table. Parsing, help, completion and the manual page are read off it; a command that is not here does not exist. */
import type { Command } from "./command.ts";
import { FITTING_IN } from "./rows/fitting-in.ts";
import { KEEPING } from "./rows/keeping.ts";
import { RUNNING } from "./rows/running.ts";
import { SERVING } from "./rows/serving.ts";
import { WATCHING } from "./rows/watching.ts";

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** In the order in which help lists them. */
export const GROUPS: readonly CommandGroup[] = [
  { title: "Run commands", commands: RUNNING },
  { title: "See what goes on", commands: WATCHING },
  { title: "Look after it", commands: [...SERVING, ...KEEPING] },
  { title: "Fit in with other programs", commands: FITTING_IN },
];

export const COMMANDS: readonly Command[] = GROUPS.flatMap(({ commands }) => commands);
