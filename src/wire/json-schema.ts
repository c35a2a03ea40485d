/**
 * JSON Schema (2020-12) out of the very schemas that frames are parsed with, for client authors in other languages. It knows the words of
 * schema.ts and no others: a word it does not know is a mistake of ours and throws, so that no frame is ever documented as less than it is.
 * Lengths are counted in bytes here and in characters there, so the document may allow a text that the daemon then finds too long.
 */
import type * as v from "valibot";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";

export function jsonSchemaOf(schema: v.GenericSchema): JsonObject {
  return described(partOf(schema));
}

/** A schema or an action of valibot, as plain data: what it is, and what it was made with. */
interface Part {
  readonly kind: string;
  readonly type: string;
  readonly source: object;
}

function partOf(value: unknown): Part {
  if (typeof value !== "object" || value === null) throw new Error("a schema is an object");
  const kind: unknown = Reflect.get(value, "kind");
  const type: unknown = Reflect.get(value, "type");
  if (typeof kind !== "string" || typeof type !== "string") throw new Error("a schema says what it is");
  return { kind, type, source: value };
}

function member(part: Part, name: string): unknown {
  return Reflect.get(part.source, name);
}

function parts(part: Part, name: string): readonly Part[] {
  const value = member(part, name);
  return Array.isArray(value) ? value.map(partOf) : [];
}

/** In a pipe every schema adds to the one before it, and the actions narrow what stands there by then. */
function described(part: Part): JsonObject {
  const [first, ...rest] = parts(part, "pipe");
  if (first === undefined) return bare(part);
  return rest.reduce<JsonObject>(
    (before, next) => ({ ...before, ...(next.kind === "schema" ? described(next) : narrowing(next, before)) }),
    described(first),
  );
}

function bare(part: Part): JsonObject {
  const { type } = part;
  switch (type) {
    case "unknown":
      return {};
    case "string":
    case "number":
    case "boolean":
      return { type };
    case "literal":
      return { const: plain(member(part, "literal")) };
    case "picklist":
      return { enum: plain(member(part, "options")) };
    case "array":
      return { type, items: described(partOf(member(part, "item"))) };
    case "record":
      return { type: "object", additionalProperties: described(partOf(member(part, "value"))) };
    case "strict_object":
      return { ...objectOf(part), additionalProperties: false };
    case "loose_object":
      return objectOf(part);
    case "union":
      return { anyOf: parts(part, "options").map(described) };
    case "nullable":
    case "nullish":
      return { anyOf: [described(partOf(member(part, "wrapped"))), { type: "null" }] };
    case "exact_optional":
      return described(partOf(member(part, "wrapped")));
    default:
      throw new Error(`no JSON Schema is known for \`${type}\``);
  }
}

const MAY_BE_ABSENT = new Set(["exact_optional", "nullish"]);

function objectOf(part: Part): JsonObject {
  const entries = Object.entries(member(part, "entries") ?? {}).map(([name, entry]) => [name, partOf(entry)] as const);
  const required = entries.filter(([, { type }]) => !MAY_BE_ABSENT.has(type)).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, entry]) => [name, described(entry)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function narrowing(part: Part, before: JsonObject): JsonObject {
  const bound = member(part, "requirement");
  const things = before["type"] === "array" ? "Items" : "Length";
  switch (part.type) {
    case "min_bytes":
      // A character takes at most four bytes.
      return typeof bound === "number" && bound > 0 ? { minLength: Math.ceil(bound / 4) } : {};
    case "max_bytes":
      return { maxLength: plain(bound) };
    case "min_length":
      return { [`min${things}`]: plain(bound) };
    case "max_length":
      return { [`max${things}`]: plain(bound) };
    case "min_value":
      return { minimum: plain(bound) };
    case "max_value":
      return { maximum: plain(bound) };
    case "safe_integer":
      return { type: "integer" };
    case "regex":
      return bound instanceof RegExp ? { pattern: bound.source } : {};
    case "metadata": {
      const said = plain(member(part, "metadata"));
      return isJsonObject(said) ? said : {};
    }
    case "guard":
      return member(part, "message") === "must be an object" ? { type: "object" } : {};
    // What it turns a frame into is our own business.
    case "transform":
      return {};
    default:
      throw new Error(`no JSON Schema is known for \`${part.type}\``);
  }
}

function plain(value: unknown): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  throw new Error("a schema is made of JSON values");
}
