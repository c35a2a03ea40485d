/** man(7) source. What a line of text could be taken for a request by is escaped; everything else is passed through. */

export function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("`", "\\(ga")
    .replaceAll("'", "\\(aq")
    .replaceAll("…", "\\&...")
    .replaceAll("→", "\\->")
    .replaceAll(/[^\x00-\x7f]/g, (char) => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** Code stands in backticks in our sentences; on paper it is bold. */
export function paragraph(text: string): string {
  const parts = text.split("`").map((part, at) => (at % 2 === 0 ? escaped(part) : `\\fB${escaped(part)}\\fR`));
  return guarded(parts.join(""));
}

/** A line that begins with a dot or an apostrophe would be a request, groff(7). */
function guarded(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

export function section(title: string, ...body: readonly string[]): readonly string[] {
  return [`.SH ${title}`, ...body];
}

export function entry(term: string, meaning: string): readonly string[] {
  return [".TP", term, paragraph(meaning)];
}

export function bold(text: string): string {
  return guarded(`\\fB${escaped(text)}\\fR`);
}

export function example(line: string, does: string): readonly string[] {
  return [".PP", ".nf", `.RS 4`, guarded(escaped(line)), ".RE", ".fi", ".RS 8", paragraph(does), ".RE"];
}
