/** The words that parameter schemas are written in. Every message here completes "`field` …" and never quotes what was sent. */
import * as v from "valibot";
import { AGENT_ID, type AgentId, isAgentId } from "../core/ids.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { PAGE_ITEMS_MAX, SESSION_KEY_BYTES_MAX, TIMER_MS_MAX, WIRE_NAME_BYTES_MAX } from "../core/limits.ts";
import { parseSha256, type Sha256 } from "../core/sha256.ts";

/** valibot takes an array for an object; a list is never one here. */
const record = v.guard((value: unknown): value is JsonObject => isJsonObject(value), "must be an object");

/** Exactly these members and no other. `rules` are for the schema document alone: whoever reads the members holds them to it. */
export function exactly<const Entries extends v.ObjectEntries>(entries: Entries, ...rules: readonly JsonObject[]) {
  return v.pipe(v.unknown(), v.metadata(rules.length === 0 ? {} : { allOf: rules }), record, v.strictObject(entries, "must be an object"));
}

export function oneOfThese(...members: readonly string[]): JsonObject {
  return { oneOf: members.map((member) => ({ required: [member] })) };
}

export function notBoth(one: string, other: string): JsonObject {
  return { not: { required: [one, other] } };
}

/** These members and any other: another program's frames, which may grow without asking us. */
export function loosely<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(v.unknown(), record, v.looseObject(entries, "must be an object"));
}

/** An object whose members are somebody else's business: a document, a tool's own arguments. */
export const anyObject = v.pipe(v.unknown(), record);

export function mapOf<const Schema extends v.GenericSchema>(value: Schema) {
  return v.pipe(v.unknown(), record, v.record(v.string(), value, "must be an object"));
}

export function listOf<const Schema extends v.GenericSchema>(item: Schema, itemsMin: number, itemsMax: number) {
  return v.pipe(
    v.array(item, "must be a list"),
    v.minLength(itemsMin, `must have at least ${itemsMin} item`),
    v.maxLength(itemsMax, `must have at most ${itemsMax} items`),
  );
}

const anyText = v.string("must be a string");

/** Text as sent, measured in UTF-8 bytes; nothing is trimmed or folded. */
export function text(bytesMin: number, bytesMax: number) {
  return v.pipe(
    anyText,
    v.minBytes(bytesMin, bytesMin === 1 ? "must not be empty" : `must have at least ${bytesMin} bytes`),
    v.maxBytes(bytesMax, `must have at most ${bytesMax} bytes`),
  );
}

/** execve(2) ends a word at NUL, so a word with one could not arrive as it was approved. */
export function word(bytesMax: number) {
  return v.pipe(text(0, bytesMax), v.regex(/^[^\0]*$/, "must not contain NUL"));
}

export function whole(min: number, max: number) {
  return v.pipe(
    v.number("must be a whole number"),
    v.safeInteger("must be a whole number"),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  );
}

export function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.picklist(options, `must be one of ${options.map((option) => `\`${option}\``).join(", ")}`);
}

export const optional = v.exactOptional;
/** Where `null` says the same as leaving the member out. */
export const nullable = v.nullish;
export const flag = v.boolean("must be true or false");
/** A short name or claim: a host, a channel, a model. */
export const name = text(1, WIRE_NAME_BYTES_MAX);
export const duration = whole(1, TIMER_MS_MAX);
export const sessionKey = text(0, SESSION_KEY_BYTES_MAX);

export const agentId = v.pipe(
  anyText,
  v.metadata({ pattern: AGENT_ID.source }),
  v.guard((sent: string): sent is AgentId => isAgentId(sent), "must be 1 to 128 of `A-Za-z0-9._:@-` and start with a letter or digit"),
);

export const sha256Hex = v.pipe(
  anyText,
  v.metadata({ pattern: "^[0-9a-f]{64}$" }),
  v.guard((sent: string): sent is Sha256 => parseSha256(sent).ok, "must be 64 lowercase hex digits"),
);

/** Ids are only looked up: one that was never given out is unknown, not malformed. */
export const lookupId = text(1, 128);

export const page = { limit: optional(whole(1, PAGE_ITEMS_MAX)), cursor: optional(text(1, WIRE_NAME_BYTES_MAX)) };
