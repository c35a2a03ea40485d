import { type BoundParts, bindingOf } from "../../../src/binding/binding.ts";
import { envHashOf, toEnvironment } from "../../../src/core/environment.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import type { Area, Row } from "../area.ts";
import { textOf } from "../reading.ts";

/** `binding-golden.json`: protocol section 7 byte for byte, for environments and for whole plans. */
export const area: Area = {
  name: "binding-golden",
  rows: (file) => [...rowsOf("env", file["env"]), ...rowsOf("plan", file["plans"])],
  check({ whole }) {
    const [found, wanted] = isJsonObject(whole["env"]) ? [envHash(whole["env"]), whole["envHash"]] : [binding(whole), whole["binding"]];
    return found === textOf(wanted) ? null : `gave ${found}`;
  },
};

function rowsOf(kind: string, value: JsonValue | undefined): readonly Row[] {
  const list = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return list.map((whole, index) => ({ id: `${kind}-${index}`, given: {}, expect: {}, whole }));
}

function envHash(env: JsonObject): string {
  return envHashOf(toEnvironment(Object.entries(env).map(([name, value]) => [name, textOf(value)] as const)));
}

function binding({ plan }: JsonObject): string {
  if (!isParts(plan)) throw new Error("a plan without its parts");
  return bindingOf(plan);
}

/** A vector may hold what no request could, an empty agent for one: the bytes are fixed for it all the same. */
function isParts(plan: unknown): plan is BoundParts {
  if (!isJsonObject(plan)) return false;
  const lists = ["argv", "files", "nested"].every((key) => Array.isArray(plan[key]));
  const texts = ["cwd", "envHash", "agentId", "sessionKey"].every((key) => typeof plan[key] === "string");
  return lists && texts && isJsonObject(plan["executable"]) && isJsonObject(plan["stdin"]);
}
