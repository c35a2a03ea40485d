/** The entry in an agent's settings that calls the hook: where it lies, what it says, and how it is put in and taken out again. */
import { join } from "node:path";
import { homeOf, type Variables } from "../../client/locate.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { HOOK_ANSWER_SLACK_MS } from "../../core/limits.ts";
import type { HookTool } from "./formats.ts";
import { quoted } from "./rewrite.ts";

interface Home {
  readonly event: string;
  readonly directory: string;
  /** Moves the user's own directory. */
  readonly variable: string | null;
  readonly file: string;
  readonly shellMatcher: string;
  readonly everyMatcher: string;
  readonly timeoutUnitMs: number;
  readonly more: JsonObject;
}

const HOMES: Readonly<Record<HookTool, Home>> = {
  "claude-code": {
    event: "PreToolUse",
    directory: ".claude",
    variable: "CLAUDE_CONFIG_DIR",
    file: "settings.json",
    shellMatcher: "Bash",
    everyMatcher: "*",
    timeoutUnitMs: 1000,
    more: {},
  },
  codex: {
    event: "PreToolUse",
    directory: ".codex",
    variable: "CODEX_HOME",
    file: "hooks.json",
    shellMatcher: "^Bash$",
    everyMatcher: ".*",
    timeoutUnitMs: 1000,
    more: { statusMessage: "asking countersign" },
  },
  gemini: {
    event: "BeforeTool",
    directory: ".gemini",
    variable: null,
    file: "settings.json",
    shellMatcher: "run_shell_command",
    everyMatcher: ".*",
    timeoutUnitMs: 1,
    more: { name: "countersign" },
  },
};

export function settingsPath(tool: HookTool, project: string | null, env: Variables): string {
  const { directory, variable, file } = HOMES[tool];
  if (project !== null) return join(project, directory, file);
  const moved = variable === null ? undefined : env[variable];
  return moved === undefined || moved === "" ? join(homeOf(env), directory, file) : join(moved, file);
}

export interface Entry {
  readonly program: readonly string[];
  /** Flags for the hook, each one word. */
  readonly flags: readonly string[];
  readonly waitMs: number;
  readonly everyTool: boolean;
}

/** `exit 2` is a no to all three; any other failure, a program that is gone among them, would be taken for nothing said. */
function hookOf(tool: HookTool, entry: Entry): JsonObject {
  const { timeoutUnitMs, more } = HOMES[tool];
  const words = [
    ...entry.program,
    "hook",
    tool,
    ...entry.flags,
    `--wait-for=${entry.waitMs % 1000 === 0 ? `${entry.waitMs / 1000}s` : `${entry.waitMs}ms`}`,
  ];
  const timeout = Math.ceil((entry.waitMs + 2 * HOOK_ANSWER_SLACK_MS) / timeoutUnitMs);
  return { ...more, type: "command", command: `${words.map(quoted).join(" ")} || exit 2`, timeout };
}

export function withHook(settings: JsonObject, tool: HookTool, entry: Entry): JsonObject {
  const { event, shellMatcher, everyMatcher } = HOMES[tool];
  const bare = withoutHook(settings, tool);
  const hooks = isJsonObject(bare["hooks"]) ? bare["hooks"] : {};
  const group = { matcher: entry.everyTool ? everyMatcher : shellMatcher, hooks: [hookOf(tool, entry)] };
  return { ...bare, hooks: { ...hooks, [event]: [...listOf(hooks[event]), group] } };
}

/** Takes out what withHook put in and leaves everything else as it is; what becomes empty by that goes too. */
export function withoutHook(settings: JsonObject, tool: HookTool): JsonObject {
  const { event } = HOMES[tool];
  const { hooks } = settings;
  if (!isJsonObject(hooks)) return settings;
  const groups = listOf(hooks[event]);
  const left = groups.flatMap((group) => withoutOurs(group, tool));
  if (left.length === groups.length && left.every((group, index) => group === groups[index])) return settings;
  const { [event]: _, ...others } = hooks;
  const remaining = left.length === 0 ? others : { ...hooks, [event]: left };
  const { hooks: __, ...rest } = settings;
  return Object.keys(remaining).length === 0 ? rest : { ...settings, hooks: remaining };
}

function withoutOurs(group: JsonValue, tool: HookTool): readonly JsonValue[] {
  if (!isJsonObject(group)) return [group];
  const hooks = listOf(group["hooks"]);
  const left = hooks.filter((hook) => !isOurs(hook, tool));
  if (left.length === hooks.length) return [group];
  return left.length === 0 ? [] : [{ ...group, hooks: left }];
}

function isOurs(hook: JsonValue, tool: HookTool): boolean {
  const command = isJsonObject(hook) ? hook["command"] : undefined;
  return typeof command === "string" && new RegExp(`(countersign|main\\.js)'? hook ${tool}( |$)`).test(command);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
