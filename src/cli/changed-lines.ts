import { type DiffLine, diffOf } from "./watch/diff.ts";

/** What a change does to a text, for people: the lines that go and those that come, with a little around them. */
export function changedLines(before: string, after: string): readonly string[] {
  if (before === after) return [];
  // So much differs that the new text says it better.
  const lines = diffOf(before, after) ?? after.split("\n").map((text): DiffLine => ({ sign: "+", text }));
  return lines.map(({ sign, text }) => (sign === "@" ? `  … ${text} …` : `${sign} ${text}`));
}
