import { parseSettings, type Settings } from "../../src/config/settings.ts";
import { type AgentId, isAgentId } from "../../src/core/ids.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { CallContext, ToolVerdict } from "../../src/tools/tool-call.ts";
import { type MachineTable, toolMachine } from "./table-machine.ts";

/** A question about a tool, with an owner who asks from outside any sandbox unless it is said otherwise. */
export interface Question extends MachineTable {
  readonly agent?: string;
  readonly sessionKey?: string;
  readonly context?: CallContext;
  readonly args?: JsonObject;
}

export function load(config: JsonObject | string): Settings {
  const settings = parseSettings(typeof config === "string" ? config : JSON.stringify(config), "countersign.json5");
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value;
}

export function ask(settings: Settings, tool: string, question: Question = {}): ToolVerdict {
  const { agent = "main", sessionKey, context = {}, args, ...table } = question;
  const call = { tool, agentId: agentId(agent), context: { senderIsOwner: true, sandboxed: false, ...context } };
  return settings.tools.evaluate(
    { ...call, ...(sessionKey === undefined ? {} : { sessionKey }), ...(args === undefined ? {} : { args }) },
    toolMachine(table),
  );
}

/** `allow`, or the layer that said no. */
export function outcome(settings: Settings, tool: string, question: Question = {}): string {
  const { allowed, layers } = ask(settings, tool, question);
  return allowed ? "allow" : (layers.at(-1)?.layer ?? "nobody");
}

/** The names of all known tools that pass. */
export function passing(settings: Settings, question: Question = {}): readonly string[] {
  const { agent = "main", sessionKey, context = {} } = question;
  const situation = { agentId: agentId(agent), context: { senderIsOwner: true, sandboxed: false, ...context } };
  const listed = settings.tools.list(sessionKey === undefined ? situation : { ...situation, sessionKey });
  return listed.filter(({ allowed }) => allowed).map(({ tool }) => tool);
}

export function agentId(name: string): AgentId {
  if (!isAgentId(name)) throw new Error(`not an agent: ${name}`);
  return name;
}
