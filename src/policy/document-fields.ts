import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";

/**
 * Reading one member at a time, with the JSON path of whatever is wrong. Every fault is collected, so that a person mends a file in one
 * go; `null` counts as absent everywhere and nothing is trimmed, coerced or case-folded.
 */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

export interface Place {
  readonly object: JsonObject;
  readonly path: string;
  readonly faults: Fault[];
}

export function memberPath(path: string, key: string): string {
  const plain = /^[A-Za-z0-9_:@*-]+$/.test(key);
  if (path === "") return plain ? key : `[${JSON.stringify(key)}]`;
  return plain ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

export function choice<Choice extends string>(place: Place, key: string, choices: readonly Choice[]): Choice | null {
  const value = member(place, key);
  if (value === null) return null;
  return choices.find((candidate) => candidate === value) ?? fault(place, key, `must be one of ${choices.join(", ")}`);
}

export function flag(place: Place, key: string): boolean | null {
  const value = member(place, key);
  return value === null || typeof value === "boolean" ? value : fault(place, key, "must be true or false");
}

export function text(place: Place, key: string): string | null {
  const value = member(place, key);
  if (value === null) return null;
  if (typeof value !== "string" || value === "" || value.includes("\0")) return fault(place, key, "must be a text that is not empty");
  return value;
}

/** A count or a time in milliseconds: a whole number that JSON carries exactly. */
export function wholeNumber(place: Place, key: string): number | null {
  const value = member(place, key);
  if (value === null) return null;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : fault(place, key, "must be a whole number");
}

export function section(place: Place, key: string): Place | null {
  const value = member(place, key);
  if (value === null) return null;
  if (!isJsonObject(value)) return fault(place, key, "must be an object");
  return { object: value, path: memberPath(place.path, key), faults: place.faults };
}

export function list(place: Place, key: string): readonly JsonValue[] | null {
  const value = member(place, key);
  if (value === null) return null;
  return isList(value) ? value : fault(place, key, "must be a list");
}

/** Own members alone, so that an agent called `constructor` finds what was written for it or nothing. */
export function member(place: Place, key: string): JsonValue {
  return Object.hasOwn(place.object, key) ? (place.object[key] ?? null) : null;
}

export function fault(place: Place, key: string, message: string): null {
  place.faults.push({ path: memberPath(place.path, key), message });
  return null;
}

/** A list of texts; a member that is none is a fault of its own. */
export function texts(place: Place, key: string, what: string): readonly string[] | null {
  return checkedList(place, key, what, (value) => (typeof value === "string" && value !== "" ? value : null));
}

export function checkedList<Item>(
  place: Place,
  key: string,
  what: string,
  read: (value: JsonValue) => Item | null,
): readonly Item[] | null {
  const items = list(place, key)?.map((value, index) => {
    const item = read(value);
    if (item === null) place.faults.push({ path: `${memberPath(place.path, key)}[${index}]`, message: what });
    return item;
  });
  return items?.filter((item) => item !== null) ?? null;
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
