import { type Denial, denial } from "../core/denial.ts";
import { type AgentLayers, compileAgent, compileOthers, OWNER_STEP } from "./agent-layers.ts";
import { type ArgumentRules, agentArguments, compileArguments } from "./argument-rules.ts";
import { CORE_TOOLS } from "./catalog.ts";
import { compileChannels } from "./channel-steps.ts";
import { type KnownTools, knownTools } from "./known-tools.ts";
import { type LayerRow, row, type Step } from "./layer.ts";
import { compileLists, type Reading, warnOfUnknown } from "./list-step.ts";
import { compileProviders, providerKeys } from "./provider-steps.ts";
import { isSandboxedSession, readSessionKey } from "./session-key.ts";
import { remembering, type ToolCall, type ToolMachine, type ToolVerdict } from "./tool-call.ts";
import type { ToolConfig } from "./tool-config.ts";
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
  const denyByDefault = config.tools.denyByDefault === true;
  const known = knownTools(config.plugins);
  const reading: Reading = { known, emptyDenies: denyByDefault, warn: (warning) => void warnings.push(warning) };
  const global = compileLists(config.tools, { layer: "global", origin: "global", path: "tools", absentDenies: denyByDefault }, reading);
  const providers = compileProviders(writtenProviders(config), "provider", "global", reading);
  const channels = compileChannels(config.channels, reading);
  warnOfUnknown("alsoAllow", config.tools.alsoAllow ?? [], "tools", reading);
  const others: Compiled = { layers: compileOthers(config, reading), rules: compileArguments(config, null) };
  const agents = new Map<string, Compiled>(
    config.agents.map((agent) => [
      agent.id,
      { layers: compileAgent(config, agent, others.layers, reading), rules: agentArguments(config, agent, others.rules) },
    ]),
  );
  const listable = namesIn(config, known);

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
      layers.providers.profile(keys) ?? providers.profile(keys),
      global,
      ...providers.lists(keys),
      layers.own,
      ...layers.providers.lists(keys),
      ...channels.of(session.channel, session.group),
      ...(channel === undefined || channel === session.channel ? [] : channels.of(channel, null)),
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
      if (!hasArguments(call) || rows.at(-1)?.verdict === "deny") return verdictOf(tool, rows);
      const judged = of(call.agentId).rules.judge(tool, call, remembering(machine));
      return verdictOf(tool, judged === null ? rows : [...rows, judged]);
    },
    list(situation: Situation): readonly ListedTool[] {
      const steps = stepsFor(situation);
      return listable.map((tool) => {
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

/** What can be listed: built-in tools, plugins' tools, and whatever else the policy calls by name. */
function namesIn({ tools, agents, plugins }: ToolConfig, known: KnownTools): readonly ToolName[] {
  const lists = [tools, ...agents.map((agent) => agent.tools)].flatMap(({ allow = [], alsoAllow = [] }) => [...allow, ...alsoAllow]);
  const named = lists.filter((entry) => !/[*:]/.test(entry));
  return known.expand([...CORE_TOOLS, ...plugins.keys(), ...named]);
}

function hasArguments(call: ToolCall): call is ToolCall & Required<Pick<ToolCall, "args">> {
  return call.args !== undefined;
}
