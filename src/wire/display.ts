/**
 * A command as a person is asked about it. What cannot be shown in full cannot be approved: every word is there, whole, and reading the line
 * as a shell would gives back exactly the words that will run.
 */
import type { Argv } from "../core/argv.ts";
import { type Denial, denial } from "../core/denial.ts";
import { DISPLAY_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { warningsOf } from "./display-warnings.ts";
import { escapeOf, glyphsOf, isAllVisible } from "./visible.ts";

export interface Display {
  /** The words, joined by single spaces. */
  readonly command: string;
  /** Each as shown: bare, quoted, or as `$'…'` where something in it could not be seen. */
  readonly words: readonly string[];
  /** What a tired reader should be told, in words; a word is named by its place, counted from 1. */
  readonly warnings: readonly string[];
}

export function displayOf(argv: Argv): Result<Display, Denial> {
  // Escapes only ever lengthen a text, so there is no need to write out what is too long already.
  const bytes = argv.reduce((sum, word) => sum + word.length + 1, 0);
  if (bytes > DISPLAY_BYTES_MAX + 1) return fail(tooLong(bytes));
  const words = argv.map(shownWord);
  const command = words.join(" ");
  const commandBytes = Buffer.byteLength(command, "utf8");
  return commandBytes > DISPLAY_BYTES_MAX ? fail(tooLong(commandBytes)) : ok({ command, words, warnings: warningsOf(argv) });
}

/** Shell text is shown as what runs it: `/bin/sh -c '…'`. */
export function displayOfText(text: string): Result<Display, Denial> {
  return displayOf(["/bin/sh", "-c", text]);
}

/** Nothing here means anything to a shell, wherever it stands; `=` and `~` do in some places, so they are quoted. */
const BARE = /^[A-Za-z0-9_@%+:,./-]+$/;
const OPTION_WITH_VALUE = /^-[A-Za-z0-9_-]*=[A-Za-z0-9_@%+:,./-]*$/;
/** Inside of double quotes these four still act, and `!` does for people who paste. */
const ACTS_IN_DOUBLE_QUOTES = /["$`\\!]/;

export function shownWord(word: string): string {
  if (BARE.test(word) || OPTION_WITH_VALUE.test(word)) return word;
  if (!isAllVisible(word)) return `$'${escaped(word)}'`;
  if (!word.includes("'")) return `'${word}'`;
  return ACTS_IN_DOUBLE_QUOTES.test(word) ? `$'${escaped(word)}'` : `"${word}"`;
}

function escaped(word: string): string {
  return glyphsOf(word)
    .map(({ char, visible }) => (visible && char !== "\\" && char !== "'" ? char : escapeOf(char)))
    .join("");
}

function tooLong(bytes: number): Denial {
  return denial(
    "display.too-long",
    `the command takes ${bytes} bytes to show, and more than ${DISPLAY_BYTES_MAX} nobody reads; put it into a script`,
    {
      bytes,
      limit: DISPLAY_BYTES_MAX,
    },
  );
}
