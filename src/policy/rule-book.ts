import type { Machine } from "../analysis/machine.ts";
import type { AgentId } from "../core/ids.ts";
import { loadRegexCompiler } from "./arg-pattern.ts";
import type { ExecDocument } from "./document.ts";
import { effectiveFor, sectionOf } from "./effective.ts";
import { type CompiledRules, compileRules, isStale } from "./rules.ts";

/** Compiled rules by document and agent: a list of 100,000 entries is compiled when it changes and not when a command comes. */
export type RuleBook = (document: ExecDocument, agentId: AgentId, machine: Machine) => Promise<CompiledRules>;

export function createRuleBook(): RuleBook {
  // Keyed by what the document says: when the store reads something else, the old rules go with the old document.
  const compiled = new WeakMap<ExecDocument["substance"], Map<AgentId | null, CompiledRules>>();
  return async (document, agentId, machine) => {
    const byAgent = compiled.get(document.substance) ?? new Map<AgentId | null, CompiledRules>();
    compiled.set(document.substance, byAgent);
    const section = sectionOf(document, agentId);
    const known = byAgent.get(section);
    if (known !== undefined && !isStale(known, machine)) return known;
    const policy = effectiveFor(document, agentId);
    const rules = compileRules(policy, machine, await loadRegexCompiler(policy.allowlist));
    byAgent.set(section, rules);
    return rules;
  };
}
