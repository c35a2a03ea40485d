/** A name, path or reason that somebody else chose, made fit for a sentence to a person: one line, every character visible, of bounded length. */
import { SHOWN_TEXT_CHARS_MAX } from "../core/limits.ts";
import { escapeOf, glyphsOf } from "./visible.ts";

/**
 * Backslashes are doubled so that an escape cannot be imitated, and backticks escaped so that the text cannot leave its backticks. What is
 * longer than the bound says how long it was; use displayOf for what must be shown whole.
 */
export function shownText(text: string, charsMax = SHOWN_TEXT_CHARS_MAX): string {
  const glyphs = glyphsOf(text.length > charsMax * 2 ? text.slice(0, charsMax * 2) : text);
  const shown = glyphs.slice(0, charsMax).map(({ char, visible }) => (visible && char !== "\\" && char !== "`" ? char : escapeOf(char)));
  const whole = glyphs.length <= charsMax && text.length <= charsMax * 2;
  return whole ? shown.join("") : `${shown.join("")}… (${Buffer.byteLength(text, "utf8")} bytes in all)`;
}
