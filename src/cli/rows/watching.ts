import type { Command } from "../command.ts";

export const WATCHING: readonly Command[] = [
  {
    name: "watch",
    summary: "see what agents ask for, and answer it, on one screen",
    details: [
      "Lists what waits; return opens a request and shows it whole: what an approval would not cover first, then every word, the directory, " +
        "the files with their hashes and, where the same script was allowed before, what has changed in it since.",
      "o allows once, a for good, t for a time or a number of uses, d denies with a reason that the agent is told. Return never allows " +
        "anything, nothing counts within half a second of a request appearing, and identical requests are listed before they are answered " +
        "together. While it runs, this terminal counts as somebody who can answer.",
      "Without a terminal it prints each request and takes answers as lines.",
    ],
    flags: {
      bell: { summary: "ring the terminal's bell when a request appears" },
      "no-notify": { summary: "no notes on the desktop; they are sent with notify-send when there is a session bus" },
    },
    load: () => import("../watch/watch.ts"),
  },
  {
    name: "status",
    summary: "say how the daemon is, and what its promises rest on",
    load: () => import("../status.ts"),
  },
];
