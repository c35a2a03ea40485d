import { CHANGE_FLAGS } from "../change-flags.ts";
import type { Command, Flag } from "../command.ts";

const HOOK_FLAGS: Readonly<Record<string, Flag>> = {
  agent: { value: "ID", summary: "the agent that asks (default: the tool's name)" },
  "wait-for": { value: "TIME", summary: "how long a question to an operator stays open (default: 50s)" },
  "ask-in-tool": { summary: "leave what needs an approval to the tool's own prompt; it then runs unbound" },
};

const HOOK_DETAILS = [
  "Reads the tool call as JSON on standard input, asks the daemon, and prints the decision in the tool's own format. " +
    "Whatever goes wrong is a deny: a daemon that is away, a payload that cannot be read, an answer that does not come in time.",
];

function hook(tool: string, title: string, more: string, load: Command["load"]): Command {
  return { name: `hook ${tool}`, summary: `answer a hook of ${title}`, details: [...HOOK_DETAILS, more], flags: HOOK_FLAGS, load };
}

const WHOSE_SETTINGS: Readonly<Record<string, Flag>> = {
  project: { summary: "the settings of the project in this directory, not your own" },
  settings: { value: "FILE", summary: "the settings file, if it lies elsewhere" },
};

const TOOL = { name: "TOOL", summary: "claude-code, codex or gemini", choices: ["claude-code", "codex", "gemini"] } as const;

export const FITTING_IN: readonly Command[] = [
  hook(
    "claude-code",
    "Claude Code",
    "A Bash call that may run is rewritten to `countersign run`, so that what runs is what was judged. Format: PreToolUse of 2.0.10 and later.",
    () => import("../hook/run-claude-code.ts"),
  ),
  hook(
    "codex",
    "Codex",
    "Codex takes no other input from a hook: a command that may run is not bound, and the message says so. Format: PreToolUse of hooks.json.",
    () => import("../hook/run-codex.ts"),
  ),
  hook(
    "gemini",
    "Gemini CLI",
    "A run_shell_command that may run is rewritten to `countersign run`, so that what runs is what was judged. Format: BeforeTool of 0.26 and later.",
    () => import("../hook/run-gemini.ts"),
  ),
  {
    name: "hook install",
    summary: "have an agent ask countersign before it runs anything",
    details: [
      "Writes one entry into the agent's settings, and shows the change first. A second time replaces the entry.",
      "An agent that can write its own settings can take the hook out again. Settings that a project carries are such a file; those of " +
        "another user, or managed ones, are not.",
    ],
    operands: [TOOL],
    flags: {
      ...WHOSE_SETTINGS,
      ...HOOK_FLAGS,
      "wait-for": { value: "TIME", summary: "how long a question to an operator stays open (default: 120s)" },
      "every-tool": { summary: "ask about every tool, not only the one that runs commands" },
      ...CHANGE_FLAGS,
    },
    examples: [{ line: "countersign hook install claude-code --dry-run", does: "shows what would be written" }],
    load: async () => ({ run: (await import("../hook/install.ts")).install }),
  },
  {
    name: "hook uninstall",
    summary: "take that entry out again",
    operands: [TOOL],
    flags: { ...WHOSE_SETTINGS, ...CHANGE_FLAGS },
    load: async () => ({ run: (await import("../hook/install.ts")).uninstall }),
  },
  {
    name: "import",
    summary: "take over the policy and allowlists of an OpenClaw exec-approvals.json",
    details: [
      "Entries are added to those that are there; values such as `security` and `ask` replace them. What allows more than holds here now is " +
        "asked about on its own, and left out if you say no. The socket's path and token are never taken. Works with and without a running daemon.",
    ],
    flags: { openclaw: { value: "FILE", summary: "the file to read, such as ~/.openclaw/exec-approvals.json" }, ...CHANGE_FLAGS },
    examples: [{ line: "countersign import --openclaw ~/.openclaw/exec-approvals.json --dry-run", does: "shows what would change" }],
    load: () => import("../import.ts"),
  },
  {
    name: "export",
    summary: "write the policy and allowlists as an OpenClaw exec-approvals.json",
    details: [
      "Entries that are bound to a content, a time or a number of uses are left out and named: OpenClaw knows no such bound.",
      "With --with-socket the file also says where this daemon listens and holds the gateway's token, so that OpenClaw's clients find it.",
    ],
    flags: {
      openclaw: { value: "FILE", summary: "the file to write; - is standard output" },
      "with-socket": { summary: "with the socket's path and the gateway's token" },
      ...CHANGE_FLAGS,
    },
    load: () => import("../export.ts"),
  },
  {
    name: "mcp",
    summary: "serve the Model Context Protocol on standard input and output",
    details: [
      "Two tools: `system_run` runs a command by the daemon, waiting for a person where one has to be asked, and `permission_prompt` answers " +
        "an agent's permission prompts; with Claude Code: --permission-prompt-tool mcp__countersign__permission_prompt.",
      "A command that is allowed by the prompt is rewritten to `countersign run`, so that what runs is what was approved.",
    ],
    flags: {
      agent: { value: "ID", summary: "the agent that asks (default: mcp)" },
      session: { value: "KEY", summary: "the session it asks in" },
      "wait-for": { value: "TIME", summary: "how long a question to an operator stays open" },
      "allow-by-tool-policy": { summary: "let the prompt allow other tools wherever the tool policy has nothing against them" },
    },
    examples: [{ line: "claude mcp add countersign -- countersign mcp", does: "gives Claude Code both tools" }],
    load: () => import("../mcp/serve.ts"),
  },
  {
    name: "schema",
    summary: "print the JSON Schema of every frame of the protocol",
    details: [
      "For client authors in any language. Made of the schemas that the daemon and the client read frames with; see docs/protocol.md.",
    ],
    operands: [{ name: "METHOD", summary: "the frames of one method", optional: true }],
    examples: [{ line: "countersign schema system.run", does: "its request and its response" }],
    load: () => import("../schema.ts"),
  },
];
