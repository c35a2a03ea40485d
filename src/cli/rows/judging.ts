import { ASKED_COMMAND, ASKED_COMMAND_FLAGS } from "../asked-command.ts";
import type { Command, Flag } from "../command.ts";

const FOR_AGENT: Flag = { value: "ID", summary: "for this agent (default: main); * for all of them" };

export const JUDGING: readonly Command[] = [
  {
    name: "check",
    summary: "say whether a command would run, and why; run nothing",
    details: [
      "Ends with 0 when it would run as it is, and with 2 when somebody would be asked or it would be refused.",
      "What is not covered is named, with the entry that would cover it.",
    ],
    operands: [ASKED_COMMAND],
    flags: ASKED_COMMAND_FLAGS,
    examples: [
      { line: "countersign check -- git push", does: "the decision, and what would allow it" },
      { line: "countersign check --command 'cat x | grep y > z'", does: "where a text cannot be read, and what to write instead" },
    ],
    load: () => import("../check.ts"),
  },
  {
    name: "explain",
    summary: "show every part of a command, what it really is and what covers it",
    details: [
      "Each program is shown as it resolved, with what was looked through to find it, the rule that covers it and the file and place that " +
        "rule was read in; then which layer answered, which files would be bound, and what nothing binds. Nothing runs.",
    ],
    operands: [ASKED_COMMAND],
    flags: ASKED_COMMAND_FLAGS,
    examples: [{ line: "countersign explain --command 'cd web && npx tsc --noEmit | head -n 20'", does: "part by part" }],
    load: () => import("../explain.ts"),
  },
];

export const LISTING: readonly Command[] = [
  {
    name: "allowlist add",
    summary: "let a program run without being asked about",
    details: [
      "A PATTERN is a path, in which * and ? stand for anything but a slash and ** for anything, or the bare name of a program in a trusted " +
        "directory. Give a script's path to let it run by its interpreter.",
      "A program that starts others when told to (git push, tar -I, anything given to a shell) is covered only by an entry whose arguments are named.",
    ],
    operands: [{ name: "PATTERN", summary: "a path, a pattern of paths, or a name" }],
    flags: {
      agent: FOR_AGENT,
      "arg-pattern": { value: "REGEX", summary: "only with arguments that match, joined by single spaces, from beginning to end" },
      sha256: { value: "HEX", summary: "only while the file has this content" },
      pin: { summary: "only while the file has the content that it has now" },
      for: { value: "TIME", summary: "only for this long: 30m, 8h, 7d" },
      uses: { value: "N", summary: "only this often" },
    },
    examples: [
      { line: "countersign allowlist add /usr/bin/rg", does: "ripgrep, with any arguments that start nothing else" },
      { line: "countersign allowlist add /usr/bin/git --arg-pattern 'push origin [a-z/-]+' --for 8h", does: "git push, today" },
      { line: "countersign allowlist add ./deploy.sh --pin", does: "this script as it is now" },
    ],
    load: () => import("../allowlist/add.ts"),
  },
  {
    name: "allowlist remove",
    summary: "have a program asked about again",
    operands: [{ name: "ENTRY", summary: "an entry's id, its first 8 characters or more, or its whole pattern" }],
    flags: { agent: { value: "ID", summary: "only an entry of this agent" } },
    load: () => import("../grants/revoke.ts"),
  },
  {
    name: "allowlist list",
    summary: "show what runs without being asked",
    flags: { agent: { value: "ID", summary: "only what holds for this agent" } },
    load: () => import("../grants/list.ts"),
  },
  {
    name: "allowlist lint",
    summary: "point at entries that allow more than they seem to, or nothing at all",
    details: [
      "Shells, interpreters and programs that start others, patterns that cover everything, files that the commands themselves could change, " +
        "entries that can never match, have run out, or were not used for 90 days. Works without a daemon; ends with 1 when there is something to say.",
    ],
    flags: { config: { value: "FILE", summary: "the settings file, if it lies elsewhere ($COUNTERSIGN_CONFIG)" } },
    load: () => import("../allowlist/lint.ts"),
  },
];
