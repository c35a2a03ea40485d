import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../../../src/policy/exec-settings.ts";
import type { MatchedBy, Satisfaction } from "../../../src/policy/satisfy.ts";
import type { Area } from "../area.ts";
import { judge, policyOf, rulesOf } from "../judging.ts";
import { optionalTexts, same, textOf } from "../reading.ts";
import { isAnalysed, planOf, virtualMachine } from "../virtual-machine.ts";

/** `allowlist.json`: what satisfies a whole command, what a pattern means, and whose list holds for whom. */
export const area: Area = {
  name: "allowlist",
  check({ given, expect }) {
    switch (given["op"] ?? "evaluate") {
      case "evaluate":
        return checkEvaluation(given, expect);
      case "match-pattern": {
        const rules = rulesOf([textOf(given["pattern"])], virtualMachine(given));
        const matches = rules.paths.matching(textOf(given["target"])).length > 0 || rules.anything.length > 0;
        return matches === expect["matches"] ? null : `matches: ${matches}`;
      }
      case "effective-allowlist": {
        const policy = policyOf(given["file"] ?? null, textOf(given["agentId"]));
        const patterns = policy?.allowlist.map((entry) => entry.pattern) ?? [];
        return same(patterns, expect["patterns"]) ? null : `holds ${JSON.stringify(patterns)}`;
      }
      default:
        return `does not know the op ${JSON.stringify(given["op"])}`;
    }
  },
};

function checkEvaluation(given: JsonObject, expect: JsonObject): string | null {
  const virtual = virtualMachine(given);
  const analysisOk = isAnalysed(planOf(given, virtual));
  const rules = rulesOf(listOf(given["allowlist"]), virtual, given["autoAllowSkills"] === true);
  const found = judge(given, rules, settingsOf(given), virtual);
  const said = `analysed ${analysisOk}, satisfied ${found.ok}: ${found.ok ? JSON.stringify(found.by) : found.reason}`;
  if (expect["analysisOk"] !== undefined && expect["analysisOk"] !== analysisOk) return said;
  if (expect["satisfied"] !== found.ok) return said;
  return found.ok && expect["by"] !== undefined && !isBy(found, expect["by"]) ? said : null;
}

function settingsOf(given: JsonObject): ExecSettings {
  return {
    ...EXEC_SETTINGS_DEFAULT,
    safeBins: optionalTexts(given["safeBins"]) ?? [],
    safeBinTrustedDirs: optionalTexts(given["trustedDirs"]) ?? EXEC_SETTINGS_DEFAULT.safeBinTrustedDirs,
    skillBins: listOf(given["skillBins"]).flatMap((skill) =>
      isJsonObject(skill) ? [{ name: textOf(skill["name"]), path: textOf(skill["path"]) }] : [],
    ),
  };
}

const VIA: Readonly<Record<MatchedBy["kind"], string>> = { allowlist: "allowlist", "safe-bin": "safeBins", skill: "skills", full: "full" };

function isBy(found: Satisfaction & { readonly ok: true }, expected: JsonValue): boolean {
  const by = found.by.map(({ kind, pattern }) => (kind === "allowlist" ? { via: VIA[kind], pattern } : { via: VIA[kind] }));
  return same(by, expected);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
