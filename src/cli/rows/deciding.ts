import type { Command, Operand } from "../command.ts";

const ID: Operand = { name: "ID", summary: "an approval's id, or its first 8 characters or more" };
const REASON = { value: "TEXT", summary: "why; the asker is told, and the log keeps it" };

export const DECIDING: readonly Command[] = [
  {
    name: "pending",
    summary: "show what waits for an answer",
    details: [
      "Each command is shown word by word, whole, with every invisible character spelt out; what an approval would not cover stands first.",
      "While --watch runs, this terminal counts as somebody who can answer: without one, requests expire at once as approval.no-route.",
    ],
    operands: [{ ...ID, optional: true }],
    flags: { watch: { short: "w", summary: "stay, and show new requests as they come; with --json one value a line" } },
    examples: [
      { line: "countersign pending", does: "everything that waits" },
      { line: "countersign pending --watch", does: "be the one who is asked, until Ctrl-C" },
    ],
    load: () => import("../pending.ts"),
  },
  {
    name: "approve",
    summary: "allow one waiting command, once and exactly as shown",
    details: [
      "With --always, or with one of --for, --uses and --scope, the program is also put on the agent's allowlist, if a safe pattern can be " +
        "made; otherwise the approval is for once and says so.",
    ],
    operands: [ID],
    flags: {
      always: { summary: "store it, so that it is not asked about again" },
      scope: {
        value: "SCOPE",
        choices: ["executable", "command"],
        summary: "store any use of the program, or these words in this directory alone",
      },
      for: { value: "TIME", summary: "store it for a time: 30m, 8h, 7d" },
      uses: { value: "N", summary: "store it for so many runs" },
      reason: REASON,
    },
    examples: [
      { line: "countersign approve 3f2c9a1e", does: "once" },
      { line: "countersign approve 3f2c9a1e --scope command --for 8h", does: "this very command, for a working day" },
    ],
    load: () => import("../approve.ts"),
  },
  {
    name: "deny",
    summary: "refuse one waiting command",
    operands: [ID],
    flags: { reason: REASON },
    examples: [{ line: 'countersign deny 3f2c9a1e --reason "not on a Friday"', does: "refuses, and says why" }],
    load: () => import("../deny.ts"),
  },
];
