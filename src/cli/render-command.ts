/** Words, paths and values that somebody else chose, whole: every character visible, folded where the screen ends, never cut. */

import { shownWord } from "../wire/display.ts";
import { visibleText } from "../wire/visible.ts";
import type { Paint } from "./paint.ts";
import { folded, wrapped } from "./width.ts";

const FOLD_COLUMNS_MIN = 16;

/** Text that is shown already, under a label; further lines stand below its first. A fold says how much it holds. */
export function labelled(label: string, shown: string, columns: number, paint: Paint): readonly string[] {
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
  const rest = " ".repeat(2 + LABEL_COLUMNS);
  return wrapped(visibleText(text), Math.max(FOLD_COLUMNS_MIN, columns - rest.length)).map((line, index) =>
    index === 0 ? `  ${paint.dim(label.padEnd(LABEL_COLUMNS))}${line}` : rest + line,
  );
}

/** A path as one word: quoted where a space or worse is in it. */
export function labelledPath(label: string, path: string, columns: number, paint: Paint): readonly string[] {
  return labelled(label, shownWord(path), columns, paint);
}

/** One word a line, numbered from 1 as the warnings count them, so that no word can pass for two or hide behind another. */
export function wordLines(label: string, words: readonly string[], columns: number, paint: Paint): readonly string[] {
  const digits = String(words.length).length;
  return words.flatMap((word, index) => {
    const left = (index === 0 ? label : "").padEnd(LABEL_COLUMNS);
    const number = String(index + 1).padStart(digits);
    return hung(`  ${paint.dim(left)}${paint.dim(number)}  `, 2 + LABEL_COLUMNS + digits + 2, paint.bold(word), columns, paint, word);
  });
}

function hung(head: string, headColumns: number, painted: string, columns: number, paint: Paint, plain = painted): readonly string[] {
  const lines = folded(plain, Math.max(FOLD_COLUMNS_MIN, columns - headColumns));
  if (lines.length === 1) return [head + painted];
  const rest = " ".repeat(headColumns);
  return [...lines.map((line, index) => (index === 0 ? head : rest) + line), rest + paint.dim(`(${Buffer.byteLength(plain)} bytes)`)];
}
