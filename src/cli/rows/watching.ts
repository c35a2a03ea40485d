import type { Command } from "../command.ts";

export const WATCHING: readonly Command[] = [
  {
    name: "status",
    summary: "say how the daemon is, and what its promises rest on",
    load: () => import("../status.ts"),
  },
];
