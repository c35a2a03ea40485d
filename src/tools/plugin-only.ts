import { ALL_CORE_GROUPS, ALL_PLUGINS_GROUP, CHANNELS, CORE_TOOLS, GROUPS, OWNER_ONLY } from "./catalog.ts";
import { compileNames, expand, type Plugins, pluginTools } from "./name-list.ts";
import { type ToolName, toolName } from "./tool-name.ts";

/**
 * Someone who lists two plugin tools in `allow` wants them added, and would be left without `read` and `exec`. Such a list, where every
 * entry is a known plugin or a known plugin's tool, is no filter. A list of names that nobody knows is another matter: it denies.
 */
export interface AllowlistReading {
  /** `null`: the list was stripped and filters nothing. */
  readonly allow: readonly string[] | null;
  readonly unknown: readonly string[];
  readonly stripped: boolean;
}

export function readAllowlist(allow: readonly string[], plugins: Plugins, coreTools: readonly string[] = KNOWN_TOOLS): AllowlistReading {
  const known = new Set([...coreTools, ...[...plugins.values()].flat()].map(toolName));
  const unknown = allow.filter((entry) => !isKnown(entry, plugins, known));
  const stripped = allow.length > 0 && allow.every((entry) => isOfPlugins(toolName(entry), plugins));
  return { allow: stripped ? null : allow, unknown, stripped };
}

/** Everything that a list may name without raising an eyebrow; channels have tools of their own names. */
const KNOWN_TOOLS: readonly string[] = [...CORE_TOOLS, ...OWNER_ONLY, ...CHANNELS];

function isOfPlugins(name: ToolName, plugins: Plugins): boolean {
  if (name === ALL_PLUGINS_GROUP) return plugins.size > 0;
  if (pluginTools(name, plugins) !== undefined) return true;
  return [...plugins.values()].some((tools) => tools.some((tool) => toolName(tool) === name));
}

function isKnown(entry: string, plugins: Plugins, known: ReadonlySet<ToolName>): boolean {
  const name = toolName(entry);
  if (GROUPS.has(name) || ALL_CORE_GROUPS.has(name) || name === ALL_PLUGINS_GROUP) return true;
  if (!name.includes("*")) return expand([entry], plugins).some((each) => known.has(each)) || pluginTools(name, plugins) !== undefined;
  const pattern = compileNames([entry], plugins);
  return name === "*" || [...known].some((tool) => pattern.find(tool) !== null);
}
