/** JSON.parse keeps the last of two equal keys and says nothing. What was judged must be what was sent, so this reader refuses instead. */
import { type Denial, denial } from "./denial.ts";
import type { JsonValue } from "./json.ts";
import { NESTING_DEPTH_MAX } from "./limits.ts";
import { fail, ok, type Result } from "./result.ts";

/**
 * One look at the structure, then JSON.parse, then one walk over what it made. Every member has one colon outside of strings, and JSON.parse
 * folds equal keys into one: so there are as many colons as keys in the value exactly when no key is repeated.
 * Objects come back without a prototype: an agent called `toString` finds nothing in a table that does not list it.
 */
export function parseStrictJson(text: string): Result<JsonValue, Denial> {
  const members = countMembers(text);
  if (members === "too-deep") {
    return fail(
      denial("wire.too-deep", `nested deeper than ${NESTING_DEPTH_MAX} levels; send a flatter value`, { limit: NESTING_DEPTH_MAX }),
    );
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The engine's own message quotes the text, which may hold a token.
    return fail(denial("wire.bad-json", "not valid JSON; send exactly one JSON value as RFC 8259 has it"));
  }
  const walk: Walk = { keys: 0, checkText: SURROGATE_OR_ESCAPE.test(text), complaint: null };
  if (!isStrict(parsed, walk)) return fail(walk.complaint ?? denial("wire.bad-json", "not a JSON value; send RFC 8259 JSON"));
  if (walk.checkText && LONE_SURROGATE.test(text)) return fail(loneSurrogate());
  if (walk.keys !== members) return fail(repeatedKey(firstRepeatedKey(text)));
  return ok(parsed);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

function countMembers(text: string): number | "too-deep" {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = closingQuote(text, at);
    } else if (unit === COLON) {
      members += 1;
    } else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > NESTING_DEPTH_MAX) return "too-deep";
    } else if (unit === 0x7d || unit === 0x5d) {
      depth -= 1;
    }
  }
  return members;
}

/** Linear over the whole text: a run of backslashes is walked back once, from the one quote that can follow it. */
function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

interface Walk {
  keys: number;
  readonly checkText: boolean;
  complaint: Denial | null;
}

const SURROGATE_OR_ESCAPE = /[\ud800-\udfff]|\\u/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** Recursion is safe here: the depth was bounded before anything was parsed. */
function isStrict(value: unknown, walk: Walk): value is JsonValue {
  switch (typeof value) {
    case "string":
      return !walk.checkText || isWellFormed(value, walk);
    case "number":
      // 1e999 reads as Infinity, which no JSON text can say back.
      return Number.isFinite(value) || complain(walk, denial("wire.bad-json", "a number is too large for a double; send it as a string"));
    case "boolean":
      return true;
    case "object":
      if (value === null) return true;
      return Array.isArray(value) ? value.every((item) => isStrict(item, walk)) : isStrictObject(value, walk);
    default:
      return false;
  }
}

function isStrictObject(value: object, walk: Walk): boolean {
  for (const [key, member] of Object.entries(value)) {
    walk.keys += 1;
    if (FORBIDDEN_KEYS.has(key)) {
      return complain(walk, denial("wire.forbidden-key", `\`${key}\` is not accepted as a key; leave it out`, { key }));
    }
    if (walk.checkText && !isWellFormed(key, walk)) return false;
    if (!isStrict(member, walk)) return false;
  }
  Object.setPrototypeOf(value, null);
  return true;
}

function isWellFormed(text: string, walk: Walk): boolean {
  return !LONE_SURROGATE.test(text) || complain(walk, loneSurrogate());
}

function complain(walk: Walk, complaint: Denial): false {
  walk.complaint = complaint;
  return false;
}

function loneSurrogate(): Denial {
  return denial("wire.bad-utf8", "a lone surrogate has no UTF-8 form; send whole characters");
}

/** Only called on valid JSON that is known to repeat a key. */
function firstRepeatedKey(text: string): string {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x7b || unit === 0x5b) open.push(new Set());
    else if (unit === 0x7d || unit === 0x5d) open.pop();
    if (unit !== QUOTE) continue;
    const end = closingQuote(text, at);
    if (isKeyEndingAt(text, end)) {
      const key: unknown = JSON.parse(text.slice(at, end + 1));
      const seen = open.at(-1);
      if (typeof key !== "string" || seen === undefined) break;
      if (seen.has(key)) return key;
      seen.add(key);
    }
    at = end;
  }
  throw new Error("a repeated key was counted but not found");
}

function isKeyEndingAt(text: string, end: number): boolean {
  let at = end + 1;
  while (/[ \t\r\n]/.test(text.charAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

/** A key is the sender's text: repeated only while it is short and plain. */
function repeatedKey(key: string): Denial {
  return /^[\x20-\x5f\x61-\x7e]{1,64}$/.test(key)
    ? denial("wire.duplicate-key", `key \`${key}\` appears twice in one object; send it once`, { key })
    : denial("wire.duplicate-key", "a key appears twice in one object; send it once");
}
