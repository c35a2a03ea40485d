import { ALL_CORE_GROUPS, ALL_PLUGINS_GROUP, CHANNELS, CORE_TOOLS, GROUPS, OWNER_ONLY } from "./catalog.ts";
import { compileNames, type NameList } from "./name-list.ts";
import { type ToolName, toolName } from "./tool-name.ts";

/** Which tools there are: the built-in ones and those of the loaded plugins. Lists are read against it. */
export interface KnownTools {
  /** Names as they are compared. An unknown group stays as it is and matches no tool. */
  expand(written: readonly string[]): readonly ToolName[];
  /** The same list is compiled once, however many agents share it. */
  compile(written: readonly string[]): NameList;
  /** Whether an entry of a list names anything that is there. */
  knows(entry: string): boolean;
  /** Whether it is a plugin's id or a plugin's tool. */
  isOfPlugins(entry: string): boolean;
}

/** A channel's tool is called like the channel, and is there whether or not somebody uses it. */
const BUILT_IN: readonly string[] = [...CORE_TOOLS, ...OWNER_ONLY, ...CHANNELS];

export function knownTools(plugins: ReadonlyMap<string, readonly string[]>, builtIn: readonly string[] = BUILT_IN): KnownTools {
  const byPlugin = new Map([...plugins].map(([id, tools]) => [toolName(id), tools.map(toolName)]));
  const ofPlugins = new Set([...byPlugin.values()].flat());
  const known = new Set([...builtIn.map(toolName), ...ofPlugins]);
  const compiled = new Map<string, NameList>();

  const membersOf = (name: ToolName): readonly ToolName[] => {
    if (ALL_CORE_GROUPS.has(name)) return CORE_TOOLS.map(toolName);
    if (name === ALL_PLUGINS_GROUP) return [...ofPlugins];
    return GROUPS.get(name)?.map(toolName) ?? byPlugin.get(name) ?? [name];
  };
  const expand = (written: readonly string[]): readonly ToolName[] => [...new Set(written.flatMap((text) => membersOf(toolName(text))))];
  const compile = (written: readonly string[]): NameList => {
    const key = written.join("\n");
    const list = compiled.get(key) ?? compileNames(written.map((text) => ({ written: text, names: expand([text]) })));
    compiled.set(key, list);
    return list;
  };
  return {
    expand,
    compile,
    knows(entry) {
      const name = toolName(entry);
      if (known.has(name) || byPlugin.has(name) || GROUPS.has(name) || ALL_CORE_GROUPS.has(name) || name === ALL_PLUGINS_GROUP) return true;
      if (!name.includes("*")) return false;
      const pattern = compile([entry]);
      return name === "*" || [...known].some((tool) => pattern.find(tool) !== null);
    },
    isOfPlugins(entry) {
      const name = toolName(entry);
      return byPlugin.has(name) || ofPlugins.has(name) || (name === ALL_PLUGINS_GROUP && byPlugin.size > 0);
    },
  };
}
