/** How much of a word a message repeats; the whole of it is shown elsewhere, word by word. */
const SHOWN_CHARS = 120;

/** Someone else's text inside a sentence of ours: in backticks, on one line, with whatever cannot be seen spelt out. */
export function quoted(text: string): string {
  const chars = Array.from(text.slice(0, 2 * SHOWN_CHARS), visible);
  return `\`${chars.slice(0, SHOWN_CHARS).join("")}${text.length > SHOWN_CHARS ? "…" : ""}\``;
}

export function visible(char: string): string {
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(char) ? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}` : char;
}
