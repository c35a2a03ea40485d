import type { Machine } from "../analysis/machine.ts";
import type { AgentId } from "../core/ids.ts";
import { loadRegexCompiler } from "./arg-pattern.ts";
import type { ExecDocument } from "./document.ts";
import { effectiveFor } from "./effective.ts";
import { type CompiledRules, compileRules, isStale } from "./rules.ts";

/** Compiled rules by document and agent: a list of 100,000 entries is compiled when the document changes and not when a command comes. */
export type RuleBook = (document: ExecDocument, agentId: AgentId, machine: Machine) => Promise<CompiledRules>;

export function createRuleBook(): RuleBook {
  // Keyed by the document itself: when the store reads a new version, the old rules go with the old document.
  const compiled = new WeakMap<ExecDocument, Map<AgentId, CompiledRules>>();
  return async (document, agentId, machine) => {
    const byAgent = compiled.get(document) ?? new Map<AgentId, CompiledRules>();
    compiled.set(document, byAgent);
    const known = byAgent.get(agentId);
    if (known !== undefined && !isStale(known, machine)) return known;
    const policy = effectiveFor(document, agentId);
    const rules = compileRules(policy, machine, await loadRegexCompiler(policy.allowlist));
    byAgent.set(agentId, rules);
    return rules;
  };
}
