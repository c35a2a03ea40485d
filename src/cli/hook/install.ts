/** `hook install` and `hook uninstall`: shows what changes in the agent's settings, asks, and changes that and nothing else. */

import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CallError } from "../../client/call-error.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { APPROVAL_TIMEOUT_DEFAULT_MS } from "../../core/limits.ts";
import { replaceFile } from "../../store/replace.ts";
import { changedLines } from "../changed-lines.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { waitMs } from "../flag-values.ts";
import { must } from "../must.ts";
import { tell } from "../tell.ts";
import { FORMATS, HOOK_TOOLS, type HookTool, isHookTool } from "./formats.ts";
import { type Entry, settingsPath, withHook, withoutHook } from "./settings.ts";

export async function install(call: CommandCall): Promise<number> {
  const tool = toolOf(call);
  const entry = entryOf(call);
  return change(call, tool, (settings) => withHook(settings, tool, entry), `asks countersign before it runs anything`);
}

export async function uninstall(call: CommandCall): Promise<number> {
  const tool = toolOf(call);
  return change(call, tool, (settings) => withoutHook(settings, tool), "does not ask countersign any more");
}

async function change(call: CommandCall, tool: HookTool, edit: (settings: JsonObject) => JsonObject, done: string): Promise<number> {
  const { io } = call;
  const given = call.text("settings");
  const path = followed(given === undefined ? settingsPath(tool, call.has("project") ? io.cwd : null, io.env) : resolve(io.cwd, given));
  const before = readText(path);
  const settings = parsed(before, path);
  const changed = edit(settings);
  const json = call.has("json");
  const differs = JSON.stringify(changed) !== JSON.stringify(settings);
  const after = `${JSON.stringify(changed, null, indentOf(before))}\n`;
  if (!json) tell(io, differs ? path : `nothing to change in ${path}`);
  if (!json && differs) for (const line of changedLines(before ?? "", after)) io.out(`  ${line}`);
  const written = differs && (await confirmed(call, "Write this?"));
  if (written) {
    mkdirSync(dirname(path), { recursive: true });
    must(await replaceFile(path, after, before === null ? 0o600 : statSync(path).mode & 0o777));
  }
  if (json) io.out(JSON.stringify({ tool, path, differs, written, settings: changed }));
  else if (written) tell(io, `${FORMATS[tool].title} ${done}`);
  return 0;
}

function toolOf(call: CommandCall): HookTool {
  const [tool = ""] = call.operands;
  if (!isHookTool(tool)) throw new UsageError(`\`${tool}\` is none of ${HOOK_TOOLS.join(", ")}`);
  return tool;
}

function entryOf(call: CommandCall): Entry {
  const carried = ["agent", "state-dir", "socket", "token-file"].flatMap((flag) => {
    const value = call.text(flag);
    return value === undefined ? [] : [`--${flag}=${flag === "agent" ? value : resolve(call.io.cwd, value)}`];
  });
  return {
    program: [process.execPath, realpathSync(process.argv[1] ?? "")],
    flags: [...carried, ...(call.has("ask-in-tool") ? ["--ask-in-tool"] : [])],
    waitMs: waitMs(call) ?? APPROVAL_TIMEOUT_DEFAULT_MS,
    everyTool: call.has("every-tool"),
  };
}

/** Settings are often links into a repository of dot files: the link stays, and what it leads to is changed. */
function followed(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function parsed(text: string | null, path: string): JsonObject {
  if (text === null || text.trim() === "") return {};
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    throw new CallError(
      "config.invalid",
      `\`${path}\` is not plain JSON, and comments would be lost; add the entry of --dry-run --settings NEW by hand`,
    );
  }
  if (!isJsonObject(settings)) throw new CallError("config.invalid", `\`${path}\` does not hold an object; correct it first`);
  return settings;
}

function indentOf(text: string | null): string {
  return /^\{\r?\n([ \t]+)"/.exec(text ?? "")?.[1] ?? "  ";
}
