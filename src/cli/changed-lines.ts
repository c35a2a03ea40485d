const CONTEXT_LINES = 2;

/** What a change does to a text, for people: the lines that go and those that come, with a little around them. */
export function changedLines(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const mark = (sign: string, lines: readonly string[]): readonly string[] => lines.map((line) => `${sign} ${line}`);
  return [
    ...mark(" ", now.slice(Math.max(0, head - CONTEXT_LINES), head)),
    ...mark("-", old.slice(head, old.length - tail)),
    ...mark("+", now.slice(head, now.length - tail)),
    ...mark(" ", now.slice(now.length - tail, now.length - tail + CONTEXT_LINES)),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
