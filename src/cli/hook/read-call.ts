/** What the three agents' payloads have in common: names, a directory, a session, and a tool with its input. */
import { isAbsolute, resolve } from "node:path";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { ToolCall } from "./format.ts";

export interface CallShape {
  readonly event: string;
  /** Names of the tool that runs shell text. */
  readonly shells: readonly string[];
  /** Their other tools, by our names for them, and the member that holds a path or an address. */
  readonly tools: Readonly<Record<string, readonly [string, ...string[]]>>;
  /** A member of the shell tool's input that names a directory, relative to the session's. */
  readonly directories: readonly string[];
}

export function readCall(payload: JsonObject, shape: CallShape): ToolCall | string {
  const { hook_event_name: event, tool_name: tool, tool_input: input, cwd, session_id: session } = payload;
  if (event !== shape.event) return `\`hook_event_name\` must be \`${shape.event}\``;
  if (typeof tool !== "string" || tool === "") return "`tool_name` is missing";
  if (!isJsonObject(input)) return "`tool_input` must be an object";
  if (typeof cwd !== "string" || !isAbsolute(cwd)) return "`cwd` must be an absolute path";
  if (session !== undefined && typeof session !== "string") return "`session_id` must be a string";
  const about = { cwd, sessionKey: session ?? "", input };
  if (!shape.shells.includes(tool)) return { ...about, kind: "other", tool: toolName(tool, shape), args: argsOf(tool, input, shape, cwd) };
  const { command } = input;
  if (typeof command !== "string" || command === "") return "`tool_input.command` must be a text";
  const directory = directoryOf(input, shape.directories, cwd);
  return directory === null ? "the directory in `tool_input` must be a text" : { ...about, cwd: directory, kind: "shell", command };
}

function directoryOf(input: JsonObject, members: readonly string[], cwd: string): string | null {
  let directory = cwd;
  for (const member of members) {
    const given = input[member];
    if (given === undefined || given === null) continue;
    if (typeof given !== "string") return null;
    directory = resolve(cwd, given);
  }
  return directory;
}

function toolName(tool: string, shape: CallShape): string {
  return Object.hasOwn(shape.tools, tool) ? (shape.tools[tool]?.[0] ?? tool) : tool.toLowerCase();
}

function argsOf(tool: string, input: JsonObject, shape: CallShape, cwd: string): JsonObject {
  const [, ...members] = Object.hasOwn(shape.tools, tool) ? (shape.tools[tool] ?? []) : [];
  const given = members.map((member) => input[member]).find((value) => typeof value === "string");
  if (typeof given !== "string") return {};
  return members[0] === "url" ? { url: given } : { path: resolve(cwd, given) };
}
