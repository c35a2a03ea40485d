/** Words, paths and values that somebody else chose, whole: every character visible, folded where the screen ends, never cut. */

import { shownWord } from "../wire/display.ts";
import { visibleText } from "../wire/visible.ts";
import type { Paint } from "./paint.ts";
import { columnsOf, folded, wrapped } from "./width.ts";

const FOLD_COLUMNS_MIN = 16;

/** Below this, what does not fit beside its label goes under it, where it has almost the whole width: an id stays in one piece. */
const NARROW_COLUMNS = 56;
const BELOW = "    ";

/** Text that is shown already, under a label; further lines stand below its first. A fold says how much it holds. */
export function labelled(label: string, shown: string, columns: number, paint: Paint): readonly string[] {
  if (goesBelow(shown, columns)) return [`  ${paint.dim(label)}`, ...hung(BELOW, BELOW.length, shown, columns, paint)];
  return hung(`  ${paint.dim(label.padEnd(LABEL_COLUMNS))}`, 2 + LABEL_COLUMNS, shown, columns, paint);
}

export const LABEL_COLUMNS = 13;

const HASH_LABEL = "    sha256";

/** Moved to the left where that keeps it on one line, since a last digit alone on the next is easily passed over. */
export function hashLines(sha256: string, columns: number, paint: Paint): readonly string[] {
  const leftMost = columns - sha256.length;
  const left = leftMost > HASH_LABEL.length ? Math.min(2 + LABEL_COLUMNS, leftMost) : 2 + LABEL_COLUMNS;
  return hashRows(sha256, columns - left).map((row, index) => paint.dim((index === 0 ? HASH_LABEL : "").padEnd(left)) + row);
}

/** Sixty-four digits in rows of one length, which are easier to compare than a long one and a remainder; a fold of them needs no count. */
export function hashRows(sha256: string, columns: number): readonly string[] {
  return folded(sha256, [64, 32].find((digits) => digits <= columns) ?? FOLD_COLUMNS_MIN);
}

/** A sentence of the daemon's: broken between its words, and unable to draw on the screen whatever it quotes. */
export function labelledSentence(label: string, text: string, columns: number, paint: Paint): readonly string[] {
  if (goesBelow(visibleText(text), columns)) {
    const below = BELOW + " ".repeat(label.length - label.trimStart().length);
    const lines = wrapped(visibleText(text), columns - below.length).map((line) => below + line);
    return label === "" ? lines : [`  ${paint.dim(label)}`, ...lines];
  }
  const rest = " ".repeat(2 + LABEL_COLUMNS);
  return wrapped(visibleText(text), Math.max(FOLD_COLUMNS_MIN, columns - rest.length)).map((line, index) =>
    index === 0 ? `  ${paint.dim(label.padEnd(LABEL_COLUMNS))}${line}` : rest + line,
  );
}

function goesBelow(shown: string, columns: number): boolean {
  return columns < NARROW_COLUMNS && 2 + LABEL_COLUMNS + columnsOf(shown) > columns;
}

/** A command to type is never folded, because a line break in it would start its first half; too long for here, it has a line of its own. */
export function labelledCommand(label: string, command: string, columns: number, paint: Paint): readonly string[] {
  const isBeside = 2 + LABEL_COLUMNS + columnsOf(command) <= columns;
  if (isBeside) return [`  ${paint.dim(label.padEnd(LABEL_COLUMNS))}${paint.cyan(command)}`];
  return [`  ${paint.dim(label)}`, BELOW + paint.cyan(command)];
}

/** A path as one word: quoted where a space or worse is in it. */
export function labelledPath(label: string, path: string, columns: number, paint: Paint): readonly string[] {
  return labelled(label, shownWord(path), columns, paint);
}

/** One word a line, numbered from 1 as the warnings count them, so that no word can pass for two or hide behind another. */
export function wordLines(label: string, words: readonly string[], columns: number, paint: Paint): readonly string[] {
  const digits = String(words.length).length;
  const isBelow = columns < NARROW_COLUMNS;
  const lines = words.flatMap((word, index) => {
    const left = (index === 0 ? label : "").padEnd(LABEL_COLUMNS);
    const number = String(index + 1).padStart(digits);
    if (isBelow) return hung(`${BELOW}${paint.dim(number)}  `, BELOW.length + digits + 2, paint.bold(word), columns, paint, word);
    return hung(`  ${paint.dim(left)}${paint.dim(number)}  `, 2 + LABEL_COLUMNS + digits + 2, paint.bold(word), columns, paint, word);
  });
  return isBelow ? [`  ${paint.dim(label)}`, ...lines] : lines;
}

function hung(head: string, headColumns: number, painted: string, columns: number, paint: Paint, plain = painted): readonly string[] {
  const lines = folded(plain, Math.max(FOLD_COLUMNS_MIN, columns - headColumns));
  if (lines.length === 1) return [head + painted];
  const rest = " ".repeat(headColumns);
  return [...lines.map((line, index) => (index === 0 ? head : rest) + line), rest + paint.dim(`(${Buffer.byteLength(plain)} bytes)`)];
}
