import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { isForbiddenName, judgeOverrides, passedFrom, refusedOverrides } from "../../../src/policy/env-overrides.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../../src/policy/exec-settings.ts";
import type { Area } from "../area.ts";
import { same, textOf, textsOf } from "../reading.ts";

export const area: Area = {
  name: "env-overrides",
  check({ given, expect }) {
    switch (given["op"]) {
      case "override":
        return checkOverride(valuesOf(given["overrides"]), expect);
      case "inherited":
        return checkInherited(isJsonObject(given["base"]) ? given["base"] : {}, textsOf(expect["absent"]));
      case "key": {
        const name = textOf(given["key"]);
        return checkOverride({ [name]: "x" }, { invalid: [], forbidden: expect["forbidden"] === true ? [name.toUpperCase()] : [] });
      }
      default:
        return `does not know the op ${JSON.stringify(given["op"])}`;
    }
  },
};

function checkOverride(overrides: Readonly<Record<string, string>>, expect: JsonObject): string | null {
  const { invalid, forbidden } = refusedOverrides(overrides);
  const sorted = (value: JsonValue | undefined) => [...textsOf(value)].sort();
  if (!same([...invalid].sort(), sorted(expect["invalid"])) || !same([...forbidden].sort(), sorted(expect["forbidden"]))) {
    return `invalid ${invalid.join(" ")}; forbidden ${forbidden.join(" ")}`;
  }
  const judged = judgeOverrides(overrides, EXEC_SETTINGS_DEFAULT);
  const code = invalid.length > 0 ? "env.invalid" : forbidden.length > 0 ? "env.forbidden" : "taken";
  return (judged.ok ? "taken" : judged.failure.code) === code ? null : `judged otherwise: ${JSON.stringify(judged)}`;
}

function checkInherited(base: JsonObject, absent: readonly string[]): string | null {
  const unlisted = passedFrom(base, []);
  const listed = passedFrom(base, absent);
  const leaked = absent.filter((name) => unlisted.has(name) || (isForbiddenName(name) && listed.has(name)));
  return leaked.length === 0 ? null : `reach the child: ${leaked.join(" ")}`;
}

function valuesOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, textOf(text)])) : {};
}
