import { readShellText } from "../../../src/analysis/shell-text.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Area } from "../area.ts";
import { same, textOf, textsOf } from "../reading.ts";

/** `command-analysis.json`: a text gives exactly these simple commands, or is refused. */
export const area: Area = {
  name: "command-analysis",
  check({ given, expect }) {
    const found = analyse(given);
    return agrees(expect, found) ? null : `found ${JSON.stringify(found)}, wanted ${JSON.stringify(expect)}`;
  },
};

interface Found {
  readonly ok: boolean;
  readonly reason?: string;
  readonly segments?: readonly { readonly argv: readonly string[] }[];
  readonly operators?: readonly string[];
  readonly trailing?: string;
}

function analyse(input: JsonObject): Found {
  if (input["argv"] !== undefined) return { ok: true, segments: [{ argv: textsOf(input["argv"]) }], operators: [] };
  const read = readShellText(textOf(input["command"]), input["platform"] === "win32" ? "win32" : "posix");
  if (!read.ok) return { ok: false, reason: read.failure.reason };
  const operators = read.value.flatMap(({ operator }) => (operator === null ? [] : [operator]));
  const trailing = read.value.at(-1)?.operator;
  return {
    ok: true,
    segments: read.value.map(({ argv }) => ({ argv })),
    operators: trailing === "&" ? operators.slice(0, -1) : operators,
    ...(trailing === "&" ? { trailing } : {}),
  };
}

function agrees(outcome: JsonObject, found: Found): boolean {
  if (outcome["ok"] !== found.ok) return false;
  if (!found.ok) {
    const reasons = outcome["reasonAnyOf"];
    return reasons === undefined || textsOf(reasons).includes(found.reason ?? "");
  }
  return (["segments", "operators", "trailing"] as const).every((key) => outcome[key] === undefined || same(outcome[key], found[key]));
}
