import JSON5 from "json5";
import { NESTING_DEPTH_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";

/**
 * JSON5 with the place of every value and key. The json5 package decides what is valid and what a token means, but tells no places and
 * keeps the last of two equal keys in silence; so a second look, at text that is known to be valid, finds where each token stands.
 */
export type Tree = Scalar | Items | Members;

export interface Scalar {
  readonly kind: "scalar";
  /** Offset of the first character, in UTF-16 units. */
  readonly at: number;
  readonly value: null | boolean | number | string;
}

export interface Items {
  readonly kind: "list";
  readonly at: number;
  readonly items: readonly Tree[];
}

export interface Members {
  readonly kind: "object";
  readonly at: number;
  readonly members: readonly Member[];
}

export interface Member {
  readonly key: string;
  readonly keyAt: number;
  readonly value: Tree;
}

export interface SyntaxFault {
  readonly at: number;
  readonly message: string;
}

export function parseTree(text: string): Result<Tree, SyntaxFault> {
  // Valid in JSON5, but no editor shows where such a line ends, and the package warns about it on standard error.
  const hidden = text.search(/[\u2028\u2029]/);
  if (hidden >= 0) return fail({ at: hidden, message: "is an invisible line separator; write `\\u2028` or a line break" });
  try {
    JSON5.parse<unknown>(text);
    return ok(treeAt({ text, at: 0 }, 0));
  } catch (error) {
    return fail(faultOf(error, text));
  }
}

/** Lines and columns count from one, as editors do. */
export function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

class TooDeep extends Error {
  readonly at: number;
  constructor(at: number) {
    super(`is nested deeper than ${NESTING_DEPTH_MAX} levels`);
    this.at = at;
  }
}

function faultOf(error: unknown, text: string): SyntaxFault {
  if (error instanceof TooDeep) return { at: error.at, message: error.message };
  if (!(error instanceof SyntaxError)) throw error;
  const [, what = "invalid text", line = "1", column = "1"] = /^JSON5: (.*) at (\d+):(\d+)$/s.exec(error.message) ?? [];
  const at = offsetOf(text, Number(line), Number(column));
  if (what !== "invalid end of input") return { at, message: `is not JSON5: ${what}` };
  return {
    at,
    message: text.trim() === "" ? "is empty; write {} where the defaults shall hold" : "ends too early; something is left open",
  };
}

/** The package counts `\n` alone as the end of a line. */
function offsetOf(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
}

interface Cursor {
  readonly text: string;
  at: number;
}

function treeAt(cursor: Cursor, depth: number): Tree {
  skipBlank(cursor);
  const at = cursor.at;
  if (depth > NESTING_DEPTH_MAX) throw new TooDeep(at);
  const opening = cursor.text[at];
  if (opening === "[") return { kind: "list", at, items: untilClosed(cursor, "]", () => treeAt(cursor, depth + 1)) };
  if (opening === "{") return { kind: "object", at, members: untilClosed(cursor, "}", () => memberAt(cursor, depth + 1)) };
  return { kind: "scalar", at, value: scalarOf(tokenAt(cursor)) };
}

function memberAt(cursor: Cursor, depth: number): Member {
  const keyAt = cursor.at;
  const key = keyOf(tokenAt(cursor));
  skipBlank(cursor);
  cursor.at += 1;
  return { key, keyAt, value: treeAt(cursor, depth) };
}

function untilClosed<Item>(cursor: Cursor, closing: string, read: () => Item): readonly Item[] {
  const items: Item[] = [];
  cursor.at += 1;
  for (;;) {
    skipBlank(cursor);
    if (cursor.text[cursor.at] === closing) break;
    items.push(read());
    skipBlank(cursor);
    if (cursor.text[cursor.at] === ",") cursor.at += 1;
  }
  cursor.at += 1;
  return items;
}

const BLANK = /(?:\s+|\/\/[^\n\r]*|\/\*[^]*?\*\/)*/y;
const TOKEN = /"(?:\\[^]|[^"\\]+)*"|'(?:\\[^]|[^'\\]+)*'|[^\s,:[\]{}"'/]+/y;

function skipBlank(cursor: Cursor): void {
  BLANK.lastIndex = cursor.at;
  BLANK.test(cursor.text);
  cursor.at = BLANK.lastIndex;
}

function tokenAt(cursor: Cursor): string {
  TOKEN.lastIndex = cursor.at;
  const token = TOKEN.exec(cursor.text)?.[0];
  if (token === undefined) throw new Error("valid JSON5 has a token here");
  cursor.at += token.length;
  return token;
}

/** Almost every token is one that all languages read alike; the package is asked about the others, because asking it is slow. */
const PLAIN_TEXT = /^(["'])([^\\]*)\1$/;
const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)$/;
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function keyOf(token: string): string {
  if (PLAIN_KEY.test(token)) return token;
  return PLAIN_TEXT.exec(token)?.[2] ?? Object.keys(JSON5.parse<object>(`{${token}:0}`))[0] ?? "";
}

function scalarOf(token: string): Scalar["value"] {
  const word = WORDS.get(token);
  if (word !== undefined) return word;
  const plain = PLAIN_TEXT.exec(token)?.[2];
  if (plain !== undefined) return plain;
  const value = PLAIN_NUMBER.test(token) ? Number(token) : JSON5.parse<unknown>(token);
  if (typeof value === "number" || typeof value === "string") return value;
  throw new Error("a token of JSON5 is a scalar");
}
