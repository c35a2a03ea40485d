/** From the bytes of a terminal in raw mode to keys. A paste is told apart from typing, so that pasted text can never answer a question. */

export type Key =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "named"; readonly name: NamedKey }
  | { readonly kind: "paste"; readonly text: string };

export type NamedKey =
  | "enter"
  | "escape"
  | "backspace"
  | "up"
  | "down"
  | "page-up"
  | "page-down"
  | "home"
  | "end"
  | "interrupt"
  | "redraw"
  | "other";

const PASTE_BEGIN = "\u001b[200~";
const PASTE_END = "\u001b[201~";
const CONTROLS: ReadonlyMap<string, NamedKey> = new Map([
  ["\r", "enter"],
  ["\n", "enter"],
  ["\u007f", "backspace"],
  ["\b", "backspace"],
  ["\u0003", "interrupt"],
  ["\u0004", "interrupt"],
  ["\f", "redraw"],
  ["\u000e", "down"],
  ["\u0010", "up"],
]);
const SEQUENCES: ReadonlyMap<string, NamedKey> = new Map([
  ["[A", "up"],
  ["[B", "down"],
  ["OA", "up"],
  ["OB", "down"],
  ["[5~", "page-up"],
  ["[6~", "page-down"],
  ["[H", "home"],
  ["[F", "end"],
  ["[1~", "home"],
  ["[4~", "end"],
  ["OH", "home"],
  ["OF", "end"],
]);
/** ECMA-48: a control sequence is parameters, intermediates and one final byte; SS3 takes one byte. */
const SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])/;
const UNFINISHED = /^\u001b(?:\[[0-?]*[ -/]*|O)?$/;

export interface Reading {
  readonly keys: readonly Key[];
  /** What may be the beginning of a longer sequence: hand it in again with the next bytes, or to `flushed` when none come. */
  readonly rest: string;
}

export function readKeys(text: string): Reading {
  const keys: Key[] = [];
  let rest = text;
  while (rest !== "") {
    if (rest.startsWith(PASTE_BEGIN)) {
      const end = rest.indexOf(PASTE_END);
      if (end < 0) return { keys, rest };
      keys.push({ kind: "paste", text: rest.slice(PASTE_BEGIN.length, end) });
      rest = rest.slice(end + PASTE_END.length);
      continue;
    }
    if (UNFINISHED.test(rest)) return { keys, rest };
    const sequence = SEQUENCE.exec(rest)?.[0];
    const taken = sequence ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
    keys.push(sequence === undefined ? plainKey(taken) : { kind: "named", name: SEQUENCES.get(sequence.slice(1)) ?? "other" });
    rest = rest.slice(taken.length);
  }
  return { keys, rest };
}

/** An escape that nothing followed was the key itself. An unfinished paste stays unfinished: its text is not typing. */
export function flushed(rest: string): Reading {
  if (rest === "" || rest.startsWith(PASTE_BEGIN)) return { keys: [], rest };
  return { keys: [{ kind: "named", name: rest === "\u001b" ? "escape" : "other" }], rest: "" };
}

function plainKey(char: string): Key {
  const name = CONTROLS.get(char);
  if (name !== undefined) return { kind: "named", name };
  if (char === "\u001b") return { kind: "named", name: "escape" };
  return /\p{Cc}/u.test(char) ? { kind: "named", name: "other" } : { kind: "char", char };
}
