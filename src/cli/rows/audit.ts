import type { Command, Flag } from "../command.ts";

const OFFLINE: Flag = { summary: "read the files, even if a daemon runs" };

export const AUDIT: readonly Command[] = [
  {
    name: "audit tail",
    summary: "show the newest records of the log",
    flags: {
      limit: { short: "n", value: "N", summary: "how many (default: 20)" },
      cursor: { value: "CURSOR", summary: "go on where the last page ended" },
      follow: { short: "f", summary: "stay, and show records as they come; with --json one a line" },
      offline: OFFLINE,
    },
    load: () => import("../audit/tail.ts"),
  },
  {
    name: "audit show",
    summary: "show everything the log says about one approval or run",
    operands: [{ name: "ID", summary: "an approval's or run's id or its beginning, or a record's number" }],
    flags: { offline: OFFLINE },
    load: () => import("../audit/show.ts"),
  },
  {
    name: "audit verify",
    summary: "check that no record was changed, removed, moved or cut off",
    details: [
      "Works without a daemon too, on the files alone. Ends with 1 when something is wrong, and names the file and line. A torn end, as a " +
        "crash leaves it, is said and is no fault: it had never been acknowledged.",
    ],
    flags: { offline: OFFLINE },
    load: () => import("../audit/verify.ts"),
  },
];
