import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../src/core/json.ts";

/** Vectors are JSON from elsewhere: these say what shape is expected and throw when a file has another. */
export function textOf(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new Error(`not a text: ${JSON.stringify(value)}`);
  return value;
}

export function textsOf(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value.map(textOf);
}

export function numberOf(value: JsonValue | undefined): number {
  if (typeof value !== "number") throw new Error(`not a number: ${JSON.stringify(value)}`);
  return value;
}

export function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b);
}

export function optionalTexts(value: JsonValue | undefined): readonly string[] | null {
  return value === undefined || value === null ? null : textsOf(value);
}

/** The member of a closed list that a vector names. */
export function oneOf<Choice extends string>(value: JsonValue | undefined, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Error(`not one of ${choices.join(", ")}: ${JSON.stringify(value)}`);
  return found;
}
