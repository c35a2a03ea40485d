import type { Command } from "../command.ts";

export const WATCHING: readonly Command[] = [
  {
    name: "status",
    summary: "say how the daemon is, and how strongly it can hold a command to what was approved",
    load: () => import("../status.ts"),
  },
];
