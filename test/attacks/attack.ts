/** The corpus as it lies in the file: what is given, what may come out, and in words what must hold. */
import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";

export interface Attack {
  readonly id: string;
  readonly family: string;
  readonly title: string;
  readonly kind: string;
  readonly given: JsonObject;
  readonly expect: Expected;
  readonly mustHold: string;
  /** Either answer is acceptable; silence about it is not. */
  readonly isPolicyChoice: boolean;
  /** What happened when it was run without any guard. */
  readonly unguarded: string;
}

export interface Expected {
  /** `null` where the property is in words only. */
  readonly decisions: readonly string[] | null;
  readonly marker: "absent" | "absent-if-content-bound" | null;
  readonly roundTrip: boolean;
  readonly noRawControls: boolean;
}

export function readAttacks(path: string): readonly Attack[] {
  const list: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!Array.isArray(list)) throw new Error(`${path} is not a list of attacks`);
  return list.map((entry: unknown) => {
    if (!isJsonObject(entry)) throw new Error(`${path} holds something that is not an attack`);
    return attackOf(entry);
  });
}

function attackOf(entry: JsonObject): Attack {
  return {
    id: text(entry["id"]),
    family: text(entry["class"]),
    title: text(entry["title"]),
    kind: text(entry["kind"]),
    given: object(entry["given"]),
    expect: expectedOf(object(entry["expect"])),
    mustHold: text(entry["mustHold"]),
    isPolicyChoice: entry["policyChoice"] === true,
    unguarded: typeof entry["unguarded"] === "string" ? entry["unguarded"] : "",
  };
}

/** A word that is not understood here must not turn into a test that passes. */
function expectedOf({ decision, marker, roundTrip, noRawControls, ...rest }: JsonObject): Expected {
  const unknown = Object.keys(rest);
  if (unknown.length > 0) throw new Error(`nothing here checks \`expect.${unknown.join("`, `")}\``);
  if (marker !== undefined && marker !== "absent" && marker !== "absent-if-content-bound")
    throw new Error(`a marker cannot be \`${shown(marker)}\``);
  return {
    decisions: decision === undefined ? null : texts(decision),
    marker: marker ?? null,
    roundTrip: roundTrip === true,
    noRawControls: noRawControls === true,
  };
}

export function text(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new Error(`not a text: ${JSON.stringify(value)}`);
  return value;
}

export function texts(value: JsonValue | undefined): readonly string[] {
  if (!isList(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value.map(text);
}

export function object(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error(`not an object: ${JSON.stringify(value)}`);
  return value;
}

export function objects(value: JsonValue | undefined): readonly JsonObject[] {
  if (!isList(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value.map(object);
}

export function count(value: JsonValue | undefined): number {
  if (typeof value !== "number") throw new Error(`not a number: ${JSON.stringify(value)}`);
  return value;
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A value of any shape, for a complaint. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
