import type { Command } from "../command.ts";

export const SERVING: readonly Command[] = [
  {
    name: "init",
    summary: "make the state directory, its tokens and its empty policy",
    details: ["What is there already stays as it is."],
    load: () => import("../init.ts"),
  },
  {
    name: "daemon",
    summary: "serve the socket, in the foreground",
    details: [
      "Opens the state directory, and makes it when it is not there. One daemon works on a state directory at a time.",
      "SIGTERM ends it when what runs has finished, a second one at once. SIGHUP reads settings, trust and the operator's token again.",
    ],
    flags: {
      config: { value: "FILE", summary: "settings (default: countersign.json5 in the state directory)" },
      "allow-root": { summary: "run as root, and with it every command unless tools.exec.runAs says otherwise" },
      "allow-unattended": { summary: "keep questions open although no operator is there to see them" },
    },
    examples: [{ line: "countersign daemon", does: "serves the default state directory" }],
    load: () => import("../daemon.ts"),
  },
  {
    name: "demo",
    summary: "play the whole promise against a real daemon",
    details: [
      "An approval is used once; then a changed byte, a swapped directory, a planted program, LD_PRELOAD, fifty racing clients, a SIGKILL at " +
        "the worst instant and an edited log all fail, each with its code. Ends with 0 only if every scene went as claimed. Nothing outside " +
        "of the scratch directory is touched, and that is removed.",
    ],
    flags: { fast: { summary: "do not wait for somebody to read along" } },
    load: () => import("../demo/demo.ts"),
  },
];
