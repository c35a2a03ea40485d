/** Fitting words into columns. What must be shown whole is folded in render-command.ts; this is for our own sentences. */

/** As many words on a line as fit; a word that is too long for a line gets one of its own. */
export function fill(text: string, columns: number, indent = ""): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const candidate = line === "" ? word : `${line} ${word}`;
    if (line !== "" && visibleLength(candidate) > columns) {
      lines.push(line);
      line = indent + word;
    } else {
      line = candidate;
    }
  }
  return [...lines, line];
}

/** A name and what it means; on a screen too narrow for both, the meaning goes below. */
export function twoColumns(
  left: string,
  right: string,
  leftWidth: number,
  columns: number,
  paintLeft: (text: string) => string,
): readonly string[] {
  const gap = 2;
  const start = gap + leftWidth + gap;
  const room = columns - start;
  if (room < 24) return [`  ${paintLeft(left)}`, ...fill(right, columns - 6).map((text) => `      ${text}`)];
  const [first = "", ...rest] = fill(right, room);
  return [`  ${paintLeft(left)}${" ".repeat(leftWidth - left.length + gap)}${first}`, ...rest.map((text) => " ".repeat(start) + text)];
}

/** Escape sequences of paint.ts take no room. */
export function visibleLength(text: string): number {
  return text.replaceAll(/\u001b\[\d+m/g, "").length;
}
