/**
 * Small guards for the daemon's answers. A type is read off its guard, and so is the JSON Schema that client authors in other languages get:
 * what the compiler believes, what is documented and what was looked at when the answer arrived are one. Members that a newer daemon adds
 * are let through: a client that broke on them could never be older than its daemon.
 */
import { isJsonObject, type JsonObject } from "../core/json.ts";

export interface Guard<T> {
  (value: unknown): value is T;
  readonly schema: JsonObject;
  /** Whether an object may leave this member out. */
  readonly optional: boolean;
}
export type Guarded<G> = G extends Guard<infer T> ? T : never;

function guard<T>(check: (value: unknown) => value is T, schema: JsonObject, mayBeAbsent = false): Guard<T> {
  return Object.assign((value: unknown): value is T => check(value), { schema, optional: mayBeAbsent });
}

export const text = guard((value): value is string => typeof value === "string", { type: "string" });
export const count = guard((value): value is number => typeof value === "number" && Number.isFinite(value), { type: "number" });
export const flag = guard((value): value is boolean => typeof value === "boolean", { type: "boolean" });
export const record = guard((value): value is JsonObject => isJsonObject(value), { type: "object" });

/** Always there, and null where there is nothing to say. */
export function nullable<T>(given: Guard<T>): Guard<T | null> {
  return guard((value): value is T | null => value === null || given(value), { anyOf: [given.schema, { type: "null" }] });
}

export function optional<T>(given: Guard<T>): Guard<T | undefined> {
  return guard((value): value is T | undefined => value === undefined || given(value), given.schema, true);
}

/** Present and null, present and given, or absent: one reader for all three, where the difference says nothing. */
export function maybe<T>(given: Guard<T>): Guard<T | null | undefined> {
  return guard(
    (value): value is T | null | undefined => value === undefined || value === null || given(value),
    { anyOf: [given.schema, { type: "null" }] },
    true,
  );
}

export function oneOf<const Words extends readonly string[]>(...words: Words): Guard<Words[number]> {
  return guard((value): value is Words[number] => typeof value === "string" && words.includes(value), { enum: words });
}

export function list<T>(item: Guard<T>): Guard<readonly T[]> {
  return guard((value): value is readonly T[] => Array.isArray(value) && value.every((each) => item(each)), {
    type: "array",
    items: item.schema,
  });
}

export function object<Shape extends Readonly<Record<string, Guard<unknown>>>>(
  shape: Shape,
): Guard<{ readonly [Key in keyof Shape]: Guarded<Shape[Key]> }> {
  const members = Object.entries(shape);
  const required = members.filter(([, member]) => !member.optional).map(([name]) => name);
  return guard(
    (value): value is { readonly [Key in keyof Shape]: Guarded<Shape[Key]> } =>
      isJsonObject(value) && members.every(([name, member]) => member(value[name])),
    {
      type: "object",
      properties: Object.fromEntries(members.map(([name, member]) => [name, member.schema])),
      ...(required.length === 0 ? {} : { required }),
    },
  );
}
