import type { Command, Flag, Operand } from "../command.ts";
import { SITUATION_FLAGS } from "../tools/situation.ts";

const CONFIG: Flag = { value: "FILE", summary: "the same as FILE ($COUNTERSIGN_CONFIG)" };
const FILE: Operand = { name: "FILE", summary: "the settings file (default: the daemon's own); - for standard input", optional: true };

export const TOOL_POLICY: readonly Command[] = [
  {
    name: "policy check",
    summary: "read a settings file as the daemon would, and name every mistake at its line and column",
    details: ["Ends with 78 when the daemon would not load the file. Warnings are things that load and are probably not meant."],
    operands: [FILE],
    flags: { strict: { summary: "end with 1 when there are warnings" } },
    examples: [{ line: "countersign policy check countersign.json5", does: "before you install it" }],
    load: () => import("../policy/check.ts"),
  },
  {
    name: "policy show",
    summary: "show the tools a settings file leaves an agent, and which layer decided on each",
    details: ["Works on the file alone. What a running daemon would answer is said by: countersign tools list"],
    operands: [FILE],
    flags: { ...SITUATION_FLAGS, config: CONFIG },
    examples: [
      { line: "countersign policy show --agent family", does: "what this agent may call" },
      { line: "countersign policy show --agent main --provider openai --subagent-depth 1 --sandboxed", does: "its child, in a sandbox" },
    ],
    load: () => import("../policy/show.ts"),
  },
  {
    name: "policy settings",
    summary: "list every key of the settings file: what it takes, what holds without it, and what it means",
    details: ["The same as docs/settings.md. Names that you choose are shown as <name>, the items of a list as []."],
    operands: [{ name: "KEY", summary: "only keys that begin so, with an example: tools.exec", optional: true }],
    examples: [{ line: "countersign policy settings approvals", does: "how long people are given, and an example" }],
    load: () => import("../policy/settings.ts"),
  },
  {
    name: "policy schema",
    summary: "print JSON Schema of the settings file, for editors",
    examples: [{ line: "countersign policy schema > countersign.schema.json", does: 'then put "$schema" into the file' }],
    load: () => import("../policy/schema.ts"),
  },
  {
    name: "tools check",
    summary: "ask the daemon whether an agent may call a tool, and which layer says so",
    details: ["With --path, --url or --command what the tool would be called with is judged too. Ends with 2 when it is denied."],
    operands: [{ name: "TOOL", summary: "a tool's name: read, exec, web_fetch, …" }],
    flags: {
      ...SITUATION_FLAGS,
      path: { value: "PATH", summary: "for read, write, edit and apply_patch" },
      url: { value: "URL", summary: "for web_fetch and browser" },
      command: { value: "TEXT", summary: "for exec" },
    },
    examples: [
      { line: "countersign tools check read --agent family --path ~/.ssh/id_rsa", does: "which rule keeps it out" },
      { line: "countersign tools check web_fetch --url https://example.com/", does: "domain, addresses and redirects" },
    ],
    load: () => import("../tools/check.ts"),
  },
  {
    name: "tools list",
    summary: "show the tools an agent may call, as the daemon tells its gateway",
    flags: { ...SITUATION_FLAGS, denied: { summary: "also those it may not call, and why" } },
    load: () => import("../tools/list.ts"),
  },
];
