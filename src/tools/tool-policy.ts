import { type Denial, denial } from "../core/denial.ts";
import { type AgentLayers, compileAgent, knownTools, OWNER_STEP } from "./agent-layers.ts";
import { type ArgumentRules, compileArguments } from "./argument-rules.ts";
import { compileChannels } from "./channel-steps.ts";
import { type LayerRow, row, type Step } from "./layer.ts";
import { compileLists, warnOfUnknown } from "./list-step.ts";
import { compileProviders, providerKeys } from "./provider-steps.ts";
import { isSandboxedSession, readSessionKey } from "./session-key.ts";
import type { ToolCall, ToolMachine, ToolVerdict } from "./tool-call.ts";
import type { AgentSection, ToolConfig } from "./tool-config.ts";
import { isStrangeName, type ToolName, toolName } from "./tool-name.ts";
import { distinctWarnings } from "./warnings.ts";

/** Layer 1, compiled once and frozen: which tools an agent may call, and with what. */
export interface ToolPolicy {
  evaluate(call: ToolCall, machine: ToolMachine): ToolVerdict;
  /** The frozen set: every known tool, whether it passes, and the layer that decided. */
  list(situation: Situation): readonly ListedTool[];
  /** As the gateway claims, else as the settings say for this session. */
  isSandboxed(situation: Situation): boolean;
  readonly warnings: readonly string[];
}

export type Situation = Pick<ToolCall, "agentId" | "sessionKey" | "context">;

export interface ListedTool {
  readonly tool: string;
  readonly allowed: boolean;
  readonly decidedBy: LayerRow;
}

export function compileToolPolicy(config: ToolConfig): ToolPolicy {
  const warnings: string[] = [];
  const emptyDenies = config.tools.denyByDefault === true;
  const place = { plugins: config.plugins, emptyDenies, warn: (warning: string): void => void warnings.push(warning) };
  const shared = {
    global: compileLists(config.tools, { ...place, layer: "global", origin: "global", path: "tools", absentDenies: emptyDenies }),
    providers: compileProviders(writtenProviders(config), "provider", "global", place),
    channels: compileChannels(config.channels, place),
  };
  warnOfUnknown("alsoAllow", config.tools.alsoAllow ?? [], { ...place, path: "tools" });
  const compiled = (agent: AgentSection | null): Compiled => ({
    layers: compileAgent(config, agent, place),
    rules: compileArguments(config, agent),
  });
  const agents = new Map(config.agents.map((agent) => [agent.id, compiled(agent)]));
  const others = compiled(null);
  const tools = knownTools(config).map(toolName);

  const of = (agentId: string): Compiled => agents.get(agentId) ?? others;
  const isSandboxed = ({ agentId, sessionKey = "", context }: Situation): boolean =>
    context.sandboxed ?? isSandboxedSession(of(agentId).layers.sandboxMode, sessionKey, config.mainKey);
  const stepsFor = (situation: Situation): readonly (Step | null)[] => {
    const { layers, rules } = of(situation.agentId);
    const { provider, model, channel, senderIsOwner, subagentDepth = 0 } = situation.context;
    const keys = providerKeys(provider, model);
    const session = readSessionKey(situation.sessionKey ?? "");
    const sandboxed = isSandboxed(situation);
    return [
      layers.profile,
      senderIsOwner === true ? null : OWNER_STEP,
      layers.providers.profile(keys) ?? shared.providers.profile(keys),
      shared.global,
      ...shared.providers.lists(keys),
      layers.own,
      ...layers.providers.lists(keys),
      ...shared.channels.of(channel ?? session.channel, session.group),
      sandboxed ? layers.sandbox : null,
      sandboxed ? layers.workspace : null,
      ...layers.subagents.at(Math.max(subagentDepth, session.depth)),
      rules.switchedOff,
    ];
  };

  return Object.freeze({
    evaluate(call: ToolCall, machine: ToolMachine): ToolVerdict {
      const tool = toolName(call.tool);
      const rows = judge(tool, stepsFor(call));
      if (call.args === undefined || rows.at(-1)?.verdict === "deny") return verdictOf(tool, rows);
      const judged = of(call.agentId).rules.judge(tool, { ...call, args: call.args }, machine);
      return verdictOf(tool, judged === null ? rows : [...rows, judged]);
    },
    list(situation: Situation): readonly ListedTool[] {
      const steps = stepsFor(situation);
      return tools.map((tool) => {
        const decidedBy = judge(tool, steps).at(-1) ?? nothingSaid();
        return { tool, allowed: decidedBy.verdict === "allow", decidedBy };
      });
    },
    isSandboxed,
    warnings: distinctWarnings(warnings),
  });
}

/** For a call that is about to be made: the verdict as a refusal. */
export function toolDenial(verdict: ToolVerdict): Denial {
  const layers = verdict.layers.map((each) => ({ ...each }));
  return denial("policy.tool-denied", verdict.reason, { layer: layers.at(-1)?.layer ?? "name", layers });
}

interface Compiled {
  readonly layers: AgentLayers;
  readonly rules: ArgumentRules;
}

/** The first no ends it. */
function judge(tool: ToolName, steps: readonly (Step | null)[]): readonly LayerRow[] {
  if (isStrangeName(tool)) return [row("name", "deny", "default", "", "a tool's name is printable ASCII without blanks")];
  const rows: LayerRow[] = [];
  for (const step of steps) {
    const said = step?.judge(tool) ?? null;
    if (said === null) continue;
    rows.push(said);
    if (said.verdict === "deny") break;
  }
  return rows;
}

function verdictOf(tool: ToolName, layers: readonly LayerRow[]): ToolVerdict {
  const last = layers.at(-1) ?? nothingSaid();
  if (last.verdict === "allow") return { allowed: true, code: null, reason: `every layer lets \`${tool}\` pass`, layers };
  const which = last.layer === "name" ? "this name" : `\`${tool}\``;
  const reason = `${which} is denied by the ${last.layer} layer (${last.source}: ${last.rule}); an operator can change it`;
  return { allowed: false, code: "policy.tool-denied", reason, layers };
}

/** The profile always speaks first, so an empty answer would be a broken pipeline, and a broken pipeline allows nothing. */
function nothingSaid(): never {
  throw new Error("no layer said anything about a tool");
}

function writtenProviders({ tools, providers }: ToolConfig): Parameters<typeof compileProviders>[0] {
  return [...[...(tools.byProvider ?? [])].map(([key, section]) => ({ key, section, path: `tools.byProvider["${key}"]` })), ...providers];
}
