import type { JsonObject } from "../../../src/core/json.ts";
import { type DerivedGrants, derivePatterns } from "../../../src/policy/allow-always.ts";
import type { Area } from "../area.ts";
import { judge, NO_SAFE_BINS, rulesOf } from "../judging.ts";
import { optionalTexts, same, textsOf } from "../reading.ts";
import { hashOf, planOf, type Virtual, virtualMachine } from "../virtual-machine.ts";

/** `allow-always.json`: what "always" stores for a command, and what that then lets through. */
export const area: Area = {
  name: "allow-always",
  check({ given, expect }) {
    const virtual = virtualMachine(given);
    const { entries, none } = derived(given, virtual);
    const patterns = entries.map((entry) => entry.pattern);
    const said = `stores ${JSON.stringify(patterns)} (${none ?? ""})`;
    if (expect["patterns"] !== undefined) {
      const inOrder = (list: readonly string[]) => (expect["ordered"] === true ? list : [...list].sort());
      if (!same(inOrder(patterns), inOrder(textsOf(expect["patterns"])))) return said;
    }
    if ((optionalTexts(expect["patternsExclude"]) ?? []).some((pattern) => patterns.includes(pattern))) return said;
    if (given["then"] === undefined) return null;
    const later = Array.isArray(given["then"]) ? { argv: given["then"] } : { command: given["then"] };
    const rules = rulesOf(
      entries.map((entry) => ({ ...entry })),
      virtual,
    );
    const satisfied = judge(later, rules, NO_SAFE_BINS, virtual).ok;
    return satisfied === expect["thenSatisfied"] ? null : `${said}; the later command is satisfied: ${satisfied}`;
  },
};

function derived(given: JsonObject, virtual: Virtual): DerivedGrants {
  const plan = planOf(given, virtual);
  if (!plan.ok) return { entries: [], none: plan.failure.message, skipped: [] };
  return derivePatterns(plan.value, virtual.machine, { scope: "executable", hashOf });
}
