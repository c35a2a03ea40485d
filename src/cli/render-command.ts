/** Words, paths and values that somebody else chose, whole: every character visible, folded where the screen ends, never cut. */
import { foldWord, shownWord } from "../wire/display.ts";
import { escapeOf, glyphsOf } from "../wire/visible.ts";
import { fill } from "./layout.ts";
import type { Paint } from "./paint.ts";

const FOLD_COLUMNS_MIN = 16;

/** Text that is shown already, under a label; further lines stand below its first. A fold says how much it holds. */
export function labelled(label: string, shown: string, columns: number, paint: Paint): readonly string[] {
  return hung(`  ${paint.dim(label.padEnd(LABEL_COLUMNS))}`, 2 + LABEL_COLUMNS, shown, columns, paint);
}

export const LABEL_COLUMNS = 13;

/** Sixty-four digits; a fold of them needs no count. */
export function hashLines(sha256: string, columns: number, paint: Paint): readonly string[] {
  const rest = " ".repeat(2 + LABEL_COLUMNS);
  return foldWord(sha256, Math.max(FOLD_COLUMNS_MIN, columns - rest.length)).lines.map((line, index) =>
    index === 0 ? `  ${paint.dim("  sha256".padEnd(LABEL_COLUMNS))}${line}` : rest + line,
  );
}

/** A sentence of the daemon's: broken between its words, and unable to draw on the screen whatever it quotes. */
export function labelledSentence(label: string, text: string, columns: number, paint: Paint): readonly string[] {
  const rest = " ".repeat(2 + LABEL_COLUMNS);
  return fill(visibleText(text), Math.max(FOLD_COLUMNS_MIN, columns - rest.length)).map((line, index) =>
    index === 0 ? `  ${paint.dim(label.padEnd(LABEL_COLUMNS))}${line}` : rest + line,
  );
}

export function visibleText(text: string): string {
  return glyphsOf(text)
    .map(({ char, visible }) => (visible ? char : escapeOf(char)))
    .join("");
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
  const { lines, bytes } = foldWord(plain, Math.max(FOLD_COLUMNS_MIN, columns - headColumns));
  if (lines.length === 1) return [head + painted];
  const rest = " ".repeat(headColumns);
  return [...lines.map((line, index) => (index === 0 ? head : rest) + line), rest + paint.dim(`(${bytes} bytes)`)];
}
