import type { Command, Flag } from "../command.ts";

const AGENT: Flag = { value: "ID", summary: "only what holds for this agent" };

export const GRANTING: readonly Command[] = [
  {
    name: "grants list",
    summary: "show what runs without being asked, until when, and when it last did",
    details: ["Grants come from an answer for good or for a while, and from the allowlist in exec-approvals.json."],
    flags: { agent: AGENT },
    load: () => import("../grants/list.ts"),
  },
  {
    name: "grants revoke",
    summary: "have something asked about again from now on",
    operands: [{ name: "GRANT", summary: "a grant's id, its first 8 characters or more, or its whole pattern" }],
    flags: { agent: AGENT },
    examples: [{ line: "countersign grants revoke 3f2c9a1e", does: "the next request for it waits for an answer" }],
    load: () => import("../grants/revoke.ts"),
  },
];
