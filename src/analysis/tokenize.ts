import { type Argv, toArgv } from "../core/argv.ts";
import { COMMAND_TEXT_BYTES_MAX, SEGMENTS_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Refusal } from "./command-plan.ts";
import { isOutright, type Reason, refusal } from "./refusal.ts";
import { RESERVED_WORDS } from "./shell-words.ts";
import type { Operator } from "./step.ts";

/**
 * The authority on what a command text says. The grammar is small on purpose: words, two kinds of quotes, backslash and five operators.
 * Every character is named in the state it is allowed in, and everything else is refused, so a text that comes through here means the same
 * to every POSIX shell (test/analysis-differential holds that against bash and dash).
 */
export interface SimpleCommand {
  readonly argv: Argv;
  /** Joins this command to the next; the last has `null`, or `&` when the text ends with it. */
  readonly operator: Operator | null;
}

export function tokenize(text: string): Result<readonly SimpleCommand[], Refusal> {
  const outside = boundsOf(text);
  if (outside !== null) return fail(outside);
  const scan: Scan = { text, at: 0, refused: null };
  const commands = readCommands(scan);
  return scan.refused === null ? ok(commands) : fail(refusal(scan.refused.reason, text, scan.refused.at));
}

/**
 * Reading goes on after something that merely cannot be analysed, because a later redirection or substitution weighs more: `$HOME` in
 * front must not turn a denial into a question. Whatever weighs most is final and ends the reading.
 */
interface Scan {
  readonly text: string;
  at: number;
  refused: { readonly reason: Reason; readonly at: number } | null;
}

function refuse(scan: Scan, reason: Reason, at: number): void {
  if (isOutright(reason)) {
    scan.refused = { reason, at };
    scan.at = scan.text.length;
  } else {
    scan.refused ??= { reason, at };
  }
}

function boundsOf(text: string): Refusal | null {
  if (text.length > COMMAND_TEXT_BYTES_MAX || Buffer.byteLength(text) > COMMAND_TEXT_BYTES_MAX) return refusal("too-long", text, 0);
  const nul = text.indexOf("\0");
  if (nul >= 0) return refusal("control", text, nul);
  const lone = /\p{Surrogate}/u.exec(text);
  return lone === null ? null : refusal("ill-formed", text, lone.index);
}

function readCommands(scan: Scan): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  for (skipBlanks(scan); scan.at < scan.text.length; skipBlanks(scan)) {
    const at = scan.at;
    const operator = readOperator(scan);
    if (operator === null) {
      words.push(readWord(scan, words));
      continue;
    }
    const argv = toArgv(words);
    if (argv === null) refuse(scan, "dangling-operator", at);
    else commands.push({ argv, operator });
    if (commands.length > SEGMENTS_MAX) refuse(scan, "too-many-commands", at);
    words = [];
  }
  return finish(scan, commands, toArgv(words));
}

function finish(scan: Scan, commands: readonly SimpleCommand[], last: Argv | null): readonly SimpleCommand[] {
  const end = scan.text.length;
  if (last !== null) {
    if (commands.length >= SEGMENTS_MAX) refuse(scan, "too-many-commands", end);
    return [...commands, { argv: last, operator: null }];
  }
  const final = commands.at(-1);
  if (final === undefined) refuse(scan, "empty", 0);
  else if (final.operator === ";") return [...commands.slice(0, -1), { argv: final.argv, operator: null }];
  else if (final.operator !== "&") refuse(scan, "dangling-operator", end);
  return commands;
}

function skipBlanks(scan: Scan): void {
  for (;;) {
    const char = scan.text[scan.at];
    if (char === "\n") refuse(scan, "newline", scan.at);
    else if (char !== " " && char !== "\t") return;
    if (scan.at < scan.text.length) scan.at += 1;
  }
}

/** The longest operator of any shell wins, and only five are ours: `&!` and `&|` are one operator to zsh and two things to bash. */
function readOperator(scan: Scan): Operator | null {
  const at = scan.at;
  const found = /^(?:\|\||&&|&>|\|&|;;|;&|;\||&!|&\||[|&;])/.exec(scan.text.slice(at, at + 2))?.[0];
  if (found === undefined) return null;
  scan.at += found.length;
  if (found === "|" || found === "&&" || found === "||" || found === ";" || found === "&") return found;
  refuse(scan, found === "&>" ? "redirection" : "unsupported-operator", at);
  return ";";
}

function readWord(scan: Scan, before: readonly string[]): string {
  const start = scan.at;
  let word = "";
  while (scan.at < scan.text.length && !/[ \t\n|&;]/.test(scan.text.charAt(scan.at))) word += readPiece(scan, word, start, before);
  if (before.length === 0) judgeName(scan, word, start);
  return word;
}

/** Names that a shell takes for something other than a program, however they are quoted: refusing a few more costs nothing. */
function judgeName(scan: Scan, name: string, at: number): void {
  if (RESERVED_WORDS.has(name)) refuse(scan, "keyword", at);
  else if (name.includes("=")) refuse(scan, "assignment", at);
  else if (name === "" || /^[-+%!{]/.test(name)) refuse(scan, "command-name", at);
}

/** One character, escape or quoted string; gives back what it adds to the word and moves on at least one character. */
function readPiece(scan: Scan, word: string, start: number, before: readonly string[]): string {
  const at = scan.at;
  const char = scan.text.charAt(at);
  scan.at += 1;
  if (/[A-Za-z0-9_./:@%+,^!-]/.test(char)) return char;
  switch (char) {
    case "'":
      return readSingleQuoted(scan, at);
    case '"':
      return readDoubleQuoted(scan, at);
    case "\\":
      return readEscape(scan, at);
    case "=":
      // After an empty quote too: to zsh `""=ls` is still the path of ls.
      return word === "" ? misfit(scan, "equals", at) : char;
    case "#":
      return at === start ? skipComment(scan, at) : char;
    case "~":
      // After an empty quote, `=` or `:` too: shells differ on where a tilde still counts as the first character.
      return word === "" || /[=:]$/.test(word) ? misfit(scan, "tilde", at) : char;
    case "{":
      if (scan.text[scan.at] !== "}") return misfit(scan, "brace", at);
      scan.at += 1;
      return "{}";
    case "}":
      return misfit(scan, "brace", at);
    case "[":
      return at === start && before.length === 0 && isWordEnd(scan, scan.at) ? char : misfit(scan, "glob", at);
    case "]":
      return at === start && before[0] === "[" && isWordEnd(scan, scan.at) ? char : misfit(scan, "glob", at);
    case "*":
    case "?":
      return misfit(scan, "glob", at);
    case "$":
    case "`":
      return misfit(scan, expansionAt(scan.text, at), at);
    case "<":
    case ">":
      return misfit(scan, angleAt(scan.text, at), at);
    case "(":
    case ")":
      return readParenthesis(scan, at, word);
    default:
      return readOther(scan, at);
  }
}

function misfit(scan: Scan, reason: Reason, at: number): string {
  refuse(scan, reason, at);
  return scan.text.charAt(at);
}

function isWordEnd(scan: Scan, at: number): boolean {
  return at >= scan.text.length || /[ \t\n|&;]/.test(scan.text.charAt(at));
}

function readSingleQuoted(scan: Scan, at: number): string {
  const close = scan.text.indexOf("'", at + 1);
  if (close < 0) return unterminated(scan, at);
  scan.at = close + 1;
  return scan.text.slice(at + 1, close);
}

function readDoubleQuoted(scan: Scan, open: number): string {
  let value = "";
  while (scan.at < scan.text.length) {
    const at = scan.at;
    const char = scan.text.charAt(at);
    scan.at += 1;
    if (char === '"') return value;
    if (char === "$" || char === "`") refuse(scan, expansionAt(scan.text, at), at);
    if (char !== "\\") {
      value += char;
      continue;
    }
    const next = scan.text.charAt(scan.at);
    if (next === "") break;
    scan.at += 1;
    if (next === "\n") refuse(scan, "newline", at);
    // POSIX 2.2.3: inside double quotes a backslash escapes these four and is itself otherwise.
    value += /["\\$`]/.test(next) ? next : `\\${next}`;
  }
  return scan.refused !== null && isOutright(scan.refused.reason) ? value : unterminated(scan, open);
}

function unterminated(scan: Scan, at: number): string {
  refuse(scan, "unterminated-quote", at);
  scan.at = scan.text.length;
  return "";
}

function readEscape(scan: Scan, at: number): string {
  const next = scan.text.charAt(scan.at);
  if (next === "") return unterminated(scan, at);
  scan.at += 1;
  if (next === "\n") return misfit(scan, "newline", at);
  if (/[ -~]/.test(next)) return next;
  return readOther(scan, at + 1);
}

function readParenthesis(scan: Scan, at: number, word: string): string {
  const pair = /^\([ \t]*\)/.exec(scan.text.slice(at))?.[0];
  if (pair === undefined || word === "") return misfit(scan, "subshell", at);
  refuse(scan, "function", at);
  scan.at = at + pair.length;
  return pair;
}

function skipComment(scan: Scan, at: number): string {
  refuse(scan, "comment", at);
  const end = scan.text.indexOf("\n", at);
  scan.at = end < 0 ? scan.text.length : end;
  return "#";
}

function readOther(scan: Scan, at: number): string {
  const char = String.fromCodePoint(scan.text.codePointAt(at) ?? 0);
  scan.at = at + char.length;
  if (!/[\p{L}\p{Nd}]/u.test(char)) refuse(scan, /\p{Cc}/u.test(char) ? "control" : "non-ascii", at);
  return char;
}

/** A shell joins lines before it looks for the parenthesis, so `$\<newline>(id)` is a substitution. */
function expansionAt(text: string, at: number): Reason {
  if (text.charAt(at) === "`") return "command-substitution";
  const next = /^\$(?:\\\n)*(\(\(|\(|['"]|)/.exec(text.slice(at))?.[1];
  if (next === "((") return "arithmetic";
  if (next === "(") return "command-substitution";
  return next === "" ? "variable" : "dollar-quote";
}

function angleAt(text: string, at: number): Reason {
  const two = text.slice(at, at + 2);
  if (two === "<(" || two === ">(") return "process-substitution";
  return two === "<<" && text.charAt(at + 2) !== "<" ? "heredoc" : "redirection";
}
