import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { ExecDocument } from "./document.ts";
import { isList } from "./document-fields.ts";

/** Whether two versions differ in `lastUsed*` at most, and so in nothing that decides. */
export function haveSameSubstance(one: ExecDocument, other: ExecDocument): boolean {
  return one.substance === other.substance || isSame(one.raw, other.raw);
}

/** Order counts, of keys as well: what a person moved about is a version of its own. */
function isSame(given: JsonValue | undefined, other: JsonValue | undefined): boolean {
  // Versions that were made from each other share whatever was not edited.
  if (given === other) return true;
  const [one, two] = [bareIfAlone(given), bareIfAlone(other)];
  if (isList(one)) return isList(two) && one.length === two.length && one.every((item, index) => isSame(item, two[index]));
  if (!isJsonObject(one)) return one === two;
  if (!isJsonObject(two)) return false;
  const [keys, others] = [decidingKeys(one), decidingKeys(two)];
  return keys.length === others.length && keys.every((key, index) => key === others[index] && isSame(one[key], two[key]));
}

/** A bare pattern becomes an object when its first use is written down. */
function bareIfAlone(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  const keys = decidingKeys(value);
  return keys.length === 1 && keys[0] === "pattern" ? value["pattern"] : value;
}

function decidingKeys(object: JsonObject): readonly string[] {
  return Object.keys(object).filter((key) => !key.startsWith("lastUsed") && key !== "lastResolvedPath");
}
