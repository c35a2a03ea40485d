import { OWNER_ONLY, PROFILES, WRITING_TOOLS } from "./catalog.ts";
import { type LayerRow, row, type Step } from "./layer.ts";
import { compileLists, type Reading, warnOfUnknown } from "./list-step.ts";
import { additionsOf, type ChosenProfile, compileProfile } from "./profile-step.ts";
import { compileProviders, type ProviderSteps } from "./provider-steps.ts";
import { compileSandbox, sandboxPolicyOf } from "./sandbox-policy.ts";
import { compileSubagents, liftsAny, type SubagentSteps } from "./subagent-policy.ts";
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

/** For agents that have no section of their own. */
export function compileOthers(config: ToolConfig, reading: Reading): AgentLayers {
  warnOfNothingLeft("tools.allow", config.tools.allow, profileOf(config, null).name, config.tools.alsoAllow ?? [], reading);
  return {
    profile: profileStep(config, null, reading),
    own: null,
    providers: compileProviders([], "agent-provider", "agent", reading),
    sandbox: sandboxStep(config, null, reading),
    workspace: workspaceStep(config, null),
    subagents: subagentSteps(config, null, reading),
    sandboxMode: sandboxModeOf(config, null),
  };
}

/** Where an agent says nothing of its own it shares what is compiled already: a thousand agents are then hardly larger than ten. */
export function compileAgent(config: ToolConfig, agent: AgentSection, others: AgentLayers, reading: Reading): AgentLayers {
  const { tools, sandbox } = agent;
  const path = `${agent.path}.tools`;
  const byProvider = [...(tools.byProvider ?? [])].map(([key, section]) => ({ key, section, path: `${path}.byProvider["${key}"]` }));
  const isPlain = tools.profile === undefined && additionsOf(tools, "agent", path).length === 0;
  const isPlainInSandbox = tools.sandbox === undefined && sandbox.alsoAllow === undefined;
  const isPlainBelow = tools.subagents === undefined && !liftsAny(tools.allow ?? []) && agent.maxSpawnDepth === undefined;
  const also = [...(config.tools.alsoAllow ?? []), ...(tools.alsoAllow ?? [])];
  warnOfUnknown("alsoAllow", tools.alsoAllow ?? [], path, reading);
  warnOfNothingLeft(`${path}.allow`, tools.allow, profileOf(config, agent).name, also, reading);
  return {
    profile: isPlain ? others.profile : profileStep(config, agent, reading),
    own: compileLists(tools, { layer: "agent", origin: "agent", path, absentDenies: tools.denyByDefault === true }, reading),
    providers: byProvider.length === 0 ? others.providers : compileProviders(byProvider, "agent-provider", "agent", reading),
    sandbox: isPlainInSandbox ? others.sandbox : sandboxStep(config, agent, reading),
    workspace: workspaceStep(config, agent),
    subagents: isPlainBelow ? others.subagents : subagentSteps(config, agent, reading),
    sandboxMode: sandboxModeOf(config, agent),
  };
}

function profileStep(config: ToolConfig, agent: AgentSection | null, { known }: Reading): Step {
  const own = agent === null ? [] : additionsOf(agent.tools, "agent", `${agent.path}.tools`);
  return compileProfile("profile", profileOf(config, agent), [...additionsOf(config.tools, "global", "tools"), ...own], known);
}

function profileOf({ tools }: ToolConfig, agent: AgentSection | null): ChosenProfile {
  if (agent?.tools.profile !== undefined) return { name: agent.tools.profile, origin: "agent", path: `${agent.path}.tools.profile` };
  if (tools.profile !== undefined) return { name: tools.profile, origin: "global", path: "tools.profile" };
  return { name: "full", origin: "default", path: "" };
}

function sandboxStep(config: ToolConfig, agent: AgentSection | null, { known, emptyDenies }: Reading): Step {
  return compileSandbox(sandboxPolicyOf(config.tools, agent, known), known, emptyDenies);
}

function subagentSteps({ tools, defaults }: ToolConfig, agent: AgentSection | null, reading: Reading): SubagentSteps {
  const global = tools.subagents?.tools ?? {};
  const own = agent?.tools.subagents?.tools ?? {};
  const steps = [
    compileLists(global, { layer: "subagent", origin: "global", path: "tools.subagents.tools" }, reading),
    compileLists(own, { layer: "subagent", origin: "agent", path: `${agent?.path ?? ""}.tools.subagents.tools` }, reading),
  ];
  return compileSubagents(
    agent?.maxSpawnDepth ?? defaults.maxSpawnDepth,
    { agentAllow: agent?.tools.allow ?? [], lists: [global, own] },
    steps.filter((step) => step !== null),
  );
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
function warnOfNothingLeft(
  path: string,
  allow: readonly string[] | undefined,
  profile: ProfileName,
  also: readonly string[],
  { known, warn }: Reading,
): void {
  const members = PROFILES[profile];
  if (members === null || allow === undefined || allow.length === 0) return;
  const list = known.compile(allow);
  if ([...members, ...also].some((tool) => list.find(toolName(tool)) !== null)) return;
  warn(`\`${path}\` names nothing that profile \`${profile}\` has, so no tool is left; write \`alsoAllow\` to add to a profile`);
}

const FOR_OWNERS: LayerRow = Object.freeze(row("owner-only", "deny", "default", "", "for owners alone"));
export const OWNER_STEP: Step = { judge: (tool) => (OWNER_ONLY.has(tool) ? FOR_OWNERS : null) };
