import type { Flag } from "./command.ts";

/** For commands that change a file of somebody's: the change is shown first. Apart from confirm.ts, which no table needs to load. */
export const CHANGE_FLAGS: Readonly<Record<string, Flag>> = {
  yes: { short: "y", summary: "do it without asking" },
  "dry-run": { summary: "show what would change, and change nothing" },
};
