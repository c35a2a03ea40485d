/** The one table. Parsing, help, completion and the manual page are read off it; a command that is not here does not exist. */
import type { Command } from "./command.ts";
import { AUDIT } from "./rows/audit.ts";
import { CREDENTIALS } from "./rows/credentials.ts";
import { DECIDING } from "./rows/deciding.ts";
import { FITTING_IN } from "./rows/fitting-in.ts";
import { GRANTING } from "./rows/granting.ts";
import { JUDGING, LISTING } from "./rows/judging.ts";
import { KEEPING } from "./rows/keeping.ts";
import { RUNNING } from "./rows/running.ts";
import { SERVING } from "./rows/serving.ts";
import { TOOL_POLICY } from "./rows/tool-policy.ts";
import { WATCHING } from "./rows/watching.ts";

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** In the order in which help lists them. */
export const GROUPS: readonly CommandGroup[] = [
  { title: "Start", commands: SERVING },
  { title: "Run commands", commands: [...RUNNING, ...JUDGING] },
  { title: "Answer", commands: [...DECIDING, ...GRANTING, ...LISTING] },
  { title: "See what goes on", commands: [...WATCHING, ...AUDIT] },
  { title: "Say which tools there are", commands: TOOL_POLICY },
  { title: "Look after credentials", commands: CREDENTIALS },
  { title: "Look after it", commands: KEEPING },
  { title: "Fit in with other programs", commands: FITTING_IN },
];

export const COMMANDS: readonly Command[] = GROUPS.flatMap(({ commands }) => commands);
