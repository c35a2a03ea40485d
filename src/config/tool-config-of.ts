import type { AgentSection, ToolConfig } from "../tools/tool-config.ts";
import type { WrittenAgent } from "./agents-table.ts";
import { memberPath } from "./problem.ts";
import { MAIN_KEY_DEFAULT, type WrittenSettings } from "./settings-table.ts";

/** Both spellings of everything, brought into one. */
export function toolConfigOf(written: WrittenSettings): ToolConfig {
  const { workspace, sandbox, subagents, elevatedDefault } = written.agents?.defaults ?? {};
  const maxSpawnDepth = subagents?.maxSpawnDepth;
  return {
    tools: written.tools ?? {},
    providers: providersOf(written.providers),
    agents: (written.agents?.agents ?? []).map(agentOf),
    defaults: {
      sandbox: sandbox ?? {},
      ...(workspace === undefined ? {} : { workspace }),
      ...(maxSpawnDepth === undefined ? {} : { maxSpawnDepth }),
      ...(elevatedDefault === undefined ? {} : { elevatedDefault }),
    },
    sandboxing: written.sandboxing ?? {},
    channels: written.channels ?? new Map(),
    plugins: new Map([...(written.plugins ?? [])].map(([id, { tools }]) => [id, tools ?? []])),
    mainKey: written.session?.mainKey ?? MAIN_KEY_DEFAULT,
  };
}

function agentOf({ id, path, section }: WrittenAgent): AgentSection {
  const { workspace, subagents, sandbox = {}, tools = {} } = section;
  const profile = tools.profile ?? section.profile;
  const maxSpawnDepth = subagents?.maxSpawnDepth;
  return {
    id,
    path,
    tools: { ...tools, ...(profile === undefined ? {} : { profile }) },
    sandbox,
    ...(workspace === undefined ? {} : { workspace }),
    ...(maxSpawnDepth === undefined ? {} : { maxSpawnDepth }),
  };
}

function providersOf(written: WrittenSettings["providers"] = []): ToolConfig["providers"] {
  const entries = "get" in written ? [...written] : written.map((each) => [each.value.id ?? "", each] as const);
  return entries.map(([key, { path, value }]) => ({ key, path: memberPath(path, "tools"), section: value.tools ?? {} }));
}
