/** How many columns a text takes in a terminal, and how to break it without leaving anything out. */
import { wholeColours } from "./paint.ts";

/** East Asian wide and full-width forms and pictographs take two columns, as wcwidth(3) has it. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARK = /\p{M}/u;
const PLAIN = /^[\x20-\x7e]*$/;
/** Our own colours (paint.ts) take no room. */
const COLOUR = /\u001b\[\d+m/g;

export function columnsOf(text: string): number {
  const bare = text.replaceAll(COLOUR, "");
  if (PLAIN.test(bare)) return bare.length;
  return Array.from(bare).reduce((sum, char) => sum + columnsOfChar(char), 0);
}

function columnsOfChar(char: string): number {
  if (WIDE.test(char)) return 2;
  return MARK.test(char) ? 0 : 1;
}

/** Nothing is left out, and no escape of the display is torn apart: joining the lines gives the text back. */
export function folded(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let [line, used] = ["", 0];
  for (const [piece] of text.matchAll(/\u001b\[\d+m|\\U[0-9a-f]{8}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\.|[\s\S]/gu)) {
    const needed = columnsOf(piece);
    if (line !== "" && used + needed > columns) {
      lines.push(line);
      [line, used] = ["", 0];
    }
    line += piece;
    used += needed;
  }
  return [...lines, line];
}

/** For sentences: broken between words, and within one only where it is wider than the line. `indent` stands before all lines but the first. */
export function wrapped(text: string, columns: number, indent = ""): readonly string[] {
  const lines: string[] = [];
  let line: string | null = null;
  for (const word of text.split(" ")) {
    const candidate: string = line === null ? word : `${line} ${word}`;
    if (columnsOf(candidate) <= columns) {
      line = candidate;
      continue;
    }
    if (line !== null && line.trim() !== "") lines.push(line.trimEnd());
    const before = lines.length === 0 ? "" : indent;
    const [first = "", ...rest] = broken(word, columns - indent.length);
    const parts = [before + first, ...rest.map((part) => indent + part)];
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? "";
  }
  return wholeColours([...lines, line ?? ""]);
}

/** A word that is wider than a line: a path between its names where that is enough, anything else wherever the line ends. */
function broken(word: string, columns: number): readonly string[] {
  if (columnsOf(word) <= columns) return [word];
  const lines: string[] = [];
  let line = "";
  for (const name of word.split(/(?<=\/)/)) {
    if (columnsOf(line + name) <= columns) {
      line += name;
      continue;
    }
    // A name that fits on no line gains nothing by starting on one of its own.
    const isTooLong = columnsOf(name) > columns;
    if (line !== "" && !isTooLong) lines.push(line);
    const parts = folded(isTooLong ? line + name : name, columns);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? "";
  }
  return [...lines, line];
}

/** For places where the whole stands elsewhere: what does not fit is cut, and the cut shows. Not for coloured text. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let [line, used] = ["", 0];
  for (const char of text) {
    used += columnsOfChar(char);
    if (used > columns - 1) break;
    line += char;
  }
  return `${line}…`;
}

export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}
