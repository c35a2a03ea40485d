/**
 * Small guards for the daemon's answers. A type is read off its guard, so what the compiler believes about an answer is what was looked
 * at when it arrived. Members that a newer daemon adds are let through: a client that broke on them could never be older than its daemon.
 */
import { isJsonObject, type JsonObject } from "../core/json.ts";

export type Guard<T> = (value: unknown) => value is T;
export type Guarded<G> = G extends Guard<infer T> ? T : never;

export function text(value: unknown): value is string {
  return typeof value === "string";
}

export function count(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

export function flag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

export function record(value: unknown): value is JsonObject {
  return isJsonObject(value);
}

export function optional<T>(guard: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || guard(value);
}

/** Present and null, present and given, or absent: one reader for all three, where the difference says nothing. */
export function maybe<T>(guard: Guard<T>): Guard<T | null | undefined> {
  return (value): value is T | null | undefined => value === undefined || value === null || guard(value);
}

export function oneOf<const Words extends readonly string[]>(...words: Words): Guard<Words[number]> {
  return (value): value is Words[number] => typeof value === "string" && words.includes(value);
}

export function list<T>(guard: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every((item) => guard(item));
}

export function object<Shape extends Readonly<Record<string, Guard<unknown>>>>(
  shape: Shape,
): Guard<{ readonly [Key in keyof Shape]: Guarded<Shape[Key]> }> {
  const members = Object.entries(shape);
  return (value): value is { readonly [Key in keyof Shape]: Guarded<Shape[Key]> } =>
    isJsonObject(value) && members.every(([name, guard]) => guard(value[name]));
}
