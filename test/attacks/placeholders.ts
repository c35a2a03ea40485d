/** `{{MARK}}`, `{{TOKEN:0:16}}`, `{{HASH_UPPER}}` and the like: one rule for all of them, and none is left standing unnoticed. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";

/** Looked up when they are met, because some, such as the id of an approval, exist only in the middle of a case. */
export type Names = Readonly<Record<string, string | (() => string)>>;

const PLACEHOLDER = /\{\{([A-Z][A-Z_]*)(?::(\d+):(\d+))?\}\}/g;
const FORMS: Readonly<Record<string, (value: string) => string>> = {
  _UPPER: (value) => value.toUpperCase(),
  _LOWER: (value) => value.toLowerCase(),
  _ESC: (value) => value.replaceAll("/", "\\/"),
};

export function filledText(given: string, names: Names): string {
  return given.replace(PLACEHOLDER, (_, name: string, from?: string, to?: string) => {
    const value = valueOf(name, names);
    return from === undefined || to === undefined ? value : value.slice(Number(from), Number(to));
  });
}

function valueOf(name: string, names: Names): string {
  const known = names[name];
  if (known !== undefined) return typeof known === "string" ? known : known();
  const form = Object.keys(FORMS).find((ending) => name.endsWith(ending));
  const change = form === undefined ? undefined : FORMS[form];
  if (form === undefined || change === undefined) throw new Error(`nothing here stands for {{${name}}}`);
  return change(valueOf(name.slice(0, -form.length), names));
}

export function filled(given: JsonObject, names: Names): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [filledText(key, names), filledValue(value, names)]));
}

export function filledValue(given: JsonValue | undefined, names: Names): JsonValue {
  if (typeof given === "string") return filledText(given, names);
  if (isJsonObject(given)) return filled(given, names);
  return Array.isArray(given) ? given.map((one: JsonValue) => filledValue(one, names)) : (given ?? null);
}

/** `{{EACH:Infinity,-1,'60'}}`: the values as they would stand in the text of a program, each to be tried. `null` when it is not one. */
export function alternatives(given: JsonValue | undefined): readonly string[] | null {
  const listed = typeof given === "string" ? /^\{\{EACH:(.*)\}\}$/s.exec(given)?.[1] : undefined;
  return listed === undefined ? null : listed.split(",").map((one) => one.trim().replace(/^'(.*)'$/s, '"$1"'));
}
