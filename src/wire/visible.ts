/** Which characters a person can be trusted to see. Everything else is shown as an escape, so that no two different texts look the same for want of ink. */

/** Controls, formats (bidi, zero width, tags), surrogates, private use, unassigned, line and paragraph separators, spaces but U+0020. */
const WITHOUT_INK = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Marks of no script of their own pile up on any letter: strokes, enclosures, floods of accents. Composed letters need none. */
const LOOSE_MARK = /[\p{Me}\p{Script=Inherited}]/u;
const MARK = /\p{M}/u;
/** Blocks whose letters run right to left and drag their neighbours along, with no control character in sight (UAX #9). */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** A script's own vowel signs and tones come in ones and twos. */
const MARKS_IN_A_ROW_MAX = 2;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

export interface Glyph {
  /** One code point. */
  readonly char: string;
  readonly visible: boolean;
}

/** The code points of a text, each judged where it stands. */
export function glyphsOf(text: string): readonly Glyph[] {
  let marks = 0;
  return Array.from(text, (char) => {
    marks = MARK.test(char) ? marks + 1 : 0;
    return { char, visible: marks <= MARKS_IN_A_ROW_MAX && hasInk(char) };
  });
}

export function isAllVisible(text: string): boolean {
  return PRINTABLE_ASCII.test(text) || glyphsOf(text).every((glyph) => glyph.visible);
}

/** A sentence that quotes what others chose: unable to draw on the screen, and otherwise as it is. */
export function visibleText(text: string): string {
  return glyphsOf(text)
    .map(({ char, visible }) => (visible ? char : escapeOf(char)))
    .join("");
}

export function codePointName(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** In the notation that bash, zsh, ksh and fish read inside of `$'…'`: always the full number of digits, so that what follows cannot join in. */
export function escapeOf(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  if (point < 0x80) return SHORT_ESCAPES.get(char) ?? `\\x${point.toString(16).padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${point.toString(16).padStart(4, "0")}` : `\\U${point.toString(16).padStart(8, "0")}`;
}

const SHORT_ESCAPES = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
  ["'", "\\'"],
]);

function hasInk(char: string): boolean {
  return char === " " || !(WITHOUT_INK.test(char) || LOOSE_MARK.test(char) || RIGHT_TO_LEFT.test(char));
}
