import { ASKED_COMMAND, ASKED_COMMAND_FLAGS } from "../asked-command.ts";
import type { Command } from "../command.ts";

export const RUNNING: readonly Command[] = [
  {
    name: "run",
    summary: "run a command, if it is allowed or somebody allows it",
    details: [
      "The command runs only if the policy allows it or somebody approved it, and then exactly as asked: same words, directory, environment, " +
        "program and files. Its output comes through byte for byte.",
      "Ends with the command's own exit code, 128+n when it died of signal n, 126 when it cannot be executed and 127 when it is not found. " +
        "A refusal says its code on standard error and ends with 2 (denied), 3 (expired or timed out), 4 (used up) or 5 (not what was approved).",
      "Ctrl-C ends the command and everything it started.",
    ],
    operands: [ASKED_COMMAND],
    flags: {
      ...ASKED_COMMAND_FLAGS,
      wait: { summary: "if somebody has to approve it first, ask and wait" },
      "wait-for": { value: "TIME", summary: "how long the question stays open (default: the daemon's setting)" },
      approval: { value: "ID", summary: "use this approval" },
      token: { value: "TOKEN", summary: "use this approval token" },
    },
    examples: [
      { line: "countersign run -- git status", does: "runs if git is on the allowlist" },
      { line: "countersign run --wait -- ./deploy.sh staging", does: "asks an operator first" },
      { line: "countersign run --command 'git log | head -3'", does: "a pipeline; no shell is started for it" },
    ],
    load: () => import("../run.ts"),
  },
];
