import type { CommandPlan } from "../../src/analysis/command-plan.ts";
import type { Machine } from "../../src/analysis/machine.ts";
import { type AgentId, isAgentId } from "../../src/core/ids.ts";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { compileRegex } from "../../src/policy/arg-regex.ts";
import type { DecideInput } from "../../src/policy/decide.ts";
import { type ExecDocument, parseDocument } from "../../src/policy/document.ts";
import { effectiveFor } from "../../src/policy/effective.ts";
import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../../src/policy/exec-settings.ts";
import { compileRules } from "../../src/policy/rules.ts";
import { tableMachine } from "./table-machine.ts";

/** One command, judged under a document for the agent `main` that is written out in the test. */
export interface Case {
  readonly plan: CommandPlan;
  readonly main?: JsonObject;
  readonly machine?: Machine;
  readonly settings?: Partial<ExecSettings>;
  readonly over?: Partial<DecideInput>;
}

export function documentOf(value: JsonValue): ExecDocument {
  const parsed = parseDocument(JSON.stringify(value));
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

export function agent(name: string): AgentId {
  if (!isAgentId(name)) throw new Error(`not an agent: ${name}`);
  return name;
}

export function inputOf({ plan, main = {}, machine = tableMachine(), settings = {}, over = {} }: Case): DecideInput {
  const policy = effectiveFor(documentOf({ version: 1, agents: { main } }), agent("main"));
  return {
    plan,
    rules: compileRules(policy, machine, compileRegex),
    settings: { ...EXEC_SETTINGS_DEFAULT, ...settings },
    machine,
    requested: { security: null, ask: null },
    missedOverrides: [],
    hashOf: () => null,
    usesLeft: () => null,
    nowMs: 1000,
    ...over,
  };
}
