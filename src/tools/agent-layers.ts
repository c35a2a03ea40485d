import { CORE_TOOLS, OWNER_ONLY, PROFILES, WRITING_TOOLS } from "./catalog.ts";
import { row, type Step } from "./layer.ts";
import { compileLists, type ListPlace, warnOfUnknown } from "./list-step.ts";
import { compileNames } from "./name-list.ts";
import { additionsOf, compileProfile } from "./profile-step.ts";
import { compileProviders, type ProviderSteps } from "./provider-steps.ts";
import { compileSandbox, sandboxPolicyOf } from "./sandbox-policy.ts";
import { compileSubagents, type SubagentSteps } from "./subagent-policy.ts";
import type { AgentSection, ProfileName, SandboxMode, ToolConfig, WorkspaceAccess } from "./tool-config.ts";
import { toolName } from "./tool-name.ts";

/** Everything that holds for one agent, compiled once. */
export interface AgentLayers {
  readonly profile: Step;
  readonly own: Step | null;
  readonly providers: ProviderSteps;
  readonly sandbox: Step;
  readonly workspace: Step | null;
  readonly subagents: SubagentSteps;
  readonly sandboxMode: SandboxMode;
}

type Place = Pick<ListPlace, "plugins" | "emptyDenies" | "warn">;

export function compileAgent(config: ToolConfig, agent: AgentSection | null, place: Place): AgentLayers {
  const tools = agent?.tools ?? {};
  const path = agent === null ? "" : `${agent.path}.tools`;
  const profile = profileOf(config, agent);
  const additions = [...additionsOf(config.tools, "global", "tools"), ...additionsOf(tools, "agent", path)];
  warnOfUnknown("alsoAllow", tools.alsoAllow ?? [], { ...place, path });
  if (agent !== null || config.agents.length === 0) warnOfNothingLeft(config, agent, profile.name, place);
  const subagentLists = [
    { lists: config.tools.subagents?.tools ?? {}, origin: "global" as const, path: "tools.subagents.tools" },
    { lists: tools.subagents?.tools ?? {}, origin: "agent" as const, path: `${path}.subagents.tools` },
  ];
  const configured = subagentLists.map(({ lists, origin, path }) =>
    compileLists(lists, { ...place, layer: "subagent", origin, path, absentDenies: false }),
  );
  const byProvider = [...(tools.byProvider ?? [])].map(([key, section]) => ({ key, section, path: `${path}.byProvider["${key}"]` }));
  return {
    profile: compileProfile("profile", profile, additions, place.plugins),
    own: compileLists(tools, { ...place, layer: "agent", origin: "agent", path, absentDenies: tools.denyByDefault === true }),
    providers: compileProviders(byProvider, "agent-provider", "agent", place),
    sandbox: compileSandbox(sandboxPolicyOf(config.tools, agent, place.plugins), place.plugins, place.emptyDenies),
    workspace: workspaceStep(config, agent),
    subagents: compileSubagents(
      agent?.maxSpawnDepth ?? config.defaults.maxSpawnDepth,
      { agentAllow: tools.allow ?? [], lists: subagentLists.map(({ lists }) => lists) },
      configured.filter((step) => step !== null),
    ),
    sandboxMode: sandboxModeOf(config, agent),
  };
}

function profileOf({ tools }: ToolConfig, agent: AgentSection | null): Parameters<typeof compileProfile>[1] {
  if (agent?.tools.profile !== undefined) return { name: agent.tools.profile, origin: "agent", path: `${agent.path}.tools.profile` };
  if (tools.profile !== undefined) return { name: tools.profile, origin: "global", path: "tools.profile" };
  return { name: "full", origin: "default", path: "" };
}

/** The agent's word, else that of all agents, else that of the whole gateway. */
function sandboxModeOf({ defaults, sandboxing }: ToolConfig, agent: AgentSection | null): SandboxMode {
  for (const { enabled, mode } of [agent?.sandbox ?? {}, defaults.sandbox, sandboxing]) {
    if (enabled === false) return "off";
    if (mode !== undefined) return mode;
  }
  return "off";
}

function workspaceStep({ defaults, sandboxing }: ToolConfig, agent: AgentSection | null): Step | null {
  const places: readonly (readonly [WorkspaceAccess | undefined, "agent" | "global", string])[] = [
    [agent?.sandbox.workspaceAccess, "agent", `${agent?.path ?? ""}.sandbox.workspaceAccess`],
    [defaults.sandbox.workspaceAccess, "global", "agents.defaults.sandbox.workspaceAccess"],
    [sandboxing.workspaceAccess, "global", "sandboxing.workspaceAccess"],
  ];
  const [access, origin, path] = places.find(([value]) => value !== undefined) ?? ["rw", "global", ""];
  if (access !== "ro") return null;
  const refusal = row("workspace", "deny", origin, path, "ro");
  return { judge: (tool) => (WRITING_TOOLS.has(tool) ? refusal : null) };
}

/** Lists narrow a profile and never add to it. Who expects otherwise is left without a tool, and should be told. */
function warnOfNothingLeft(config: ToolConfig, agent: AgentSection | null, profile: ProfileName, { plugins, warn }: Place): void {
  const members = PROFILES[profile];
  const also = [...(config.tools.alsoAllow ?? []), ...(agent?.tools.alsoAllow ?? [])];
  for (const [path, allow] of [
    ["tools.allow", config.tools.allow],
    [`${agent?.path ?? ""}.tools.allow`, agent?.tools.allow],
  ] as const) {
    if (members === null || allow === undefined || allow.length === 0) continue;
    const list = compileNames(allow, plugins);
    if ([...members, ...also].some((tool) => list.find(toolName(tool)) !== null)) continue;
    warn(`\`${path}\` names nothing that profile \`${profile}\` has, so no tool is left; write \`alsoAllow\` to add to a profile`);
  }
}

/** For owners alone. */
export const OWNER_STEP: Step = {
  judge: (tool) => (OWNER_ONLY.has(tool) ? row("owner-only", "deny", "default", "", "for owners alone") : null),
};

/** What can be listed: built-in tools, plugins' tools, and whatever else the policy calls by name. */
export function knownTools(config: ToolConfig): readonly string[] {
  const lists = [config.tools, ...config.agents.map(({ tools }) => tools)].flatMap(({ allow = [], alsoAllow = [] }) => [
    ...allow,
    ...alsoAllow,
  ]);
  const named = lists.map(toolName).filter((name) => !/[*:]/.test(name) && !config.plugins.has(name));
  const plugins = [...config.plugins.values()].flat().map(toolName);
  return [...new Set([...CORE_TOOLS, ...plugins, ...named])];
}
