import { type AgentId, isAgentId } from "../../src/core/ids.ts";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { compileRegex } from "../../src/policy/arg-regex.ts";
import { parseDocument } from "../../src/policy/document.ts";
import { type EffectivePolicy, effectiveFor } from "../../src/policy/effective.ts";
import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../../src/policy/exec-settings.ts";
import { type CompiledRules, compileRules } from "../../src/policy/rules.ts";
import { type Satisfaction, satisfy } from "../../src/policy/satisfy.ts";
import { hashOf, planOf, type Virtual } from "./virtual-machine.ts";

/** What the lists say about a command on a virtual machine, through the same functions as in the daemon. */
export function judge(given: JsonObject, rules: CompiledRules, settings: ExecSettings, virtual: Virtual): Satisfaction {
  const plan = planOf(given, virtual);
  if (!plan.ok) return { ok: false, reason: plan.failure.message, segment: null };
  const { machine } = virtual;
  const nowMs = typeof given["nowMs"] === "number" ? given["nowMs"] : 0;
  return satisfy({ plan: plan.value, rules, settings, machine, hashOf, usesLeft: () => null, nowMs });
}

export function rulesOf(allowlist: readonly JsonValue[], virtual: Virtual, autoAllowSkills = false): CompiledRules {
  const policy = policyOf({ version: 1, agents: { main: { security: "allowlist", autoAllowSkills, allowlist } } }, "main");
  if (policy === null) throw new Error("the allowlist does not read");
  return compileRules(policy, virtual.machine, compileRegex);
}

/** `null` when the document is refused: then nothing is allowed to anyone. */
export function policyOf(file: JsonValue, agent: string): EffectivePolicy | null {
  const document = parseDocument(JSON.stringify(file));
  return document.ok ? effectiveFor(document.value, agentOf(agent)) : null;
}

export const NO_SAFE_BINS: ExecSettings = { ...EXEC_SETTINGS_DEFAULT, safeBins: [] };

function agentOf(name: string): AgentId {
  if (!isAgentId(name)) throw new Error(`not an agent: ${name}`);
  return name;
}
