/** What changed between the script that was approved and the one that is asked about now, line by line (Myers' algorithm, bounded). */
import { DIFF_EDITS_MAX } from "../../core/limits.ts";

export interface DiffLine {
  readonly sign: " " | "+" | "-" | "@";
  readonly text: string;
}

const CONTEXT_LINES = 2;

/** `null` when so much differs that a list of differences would be harder to read than the file. */
export function diffOf(before: string, after: string): readonly DiffLine[] | null {
  const [one, other] = [linesOf(before), linesOf(after)];
  const head = sharedHead(one, other);
  const tail = sharedTail(one, other, head);
  const middle = editScript(one.slice(head, one.length - tail), other.slice(head, other.length - tail));
  if (middle === null) return null;
  const kept = (lines: readonly string[]): readonly DiffLine[] => lines.map((text) => ({ sign: " ", text }));
  return hunks([...kept(one.slice(0, head)), ...middle, ...kept(one.slice(one.length - tail))]);
}

/** A final line without its line feed is another file; it is shown as one. */
function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return text.endsWith("\n") ? lines.slice(0, -1) : [...lines.slice(0, -1), `${lines.at(-1)} (no line feed at the end)`];
}

function sharedHead(one: readonly string[], other: readonly string[]): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

function sharedTail(one: readonly string[], other: readonly string[], head: number): number {
  let count = 0;
  while (count < Math.min(one.length, other.length) - head && one[one.length - 1 - count] === other[other.length - 1 - count]) count += 1;
  return count;
}

function editScript(one: readonly string[], other: readonly string[]): readonly DiffLine[] | null {
  const reached = new Map<number, number>([[1, 0]]);
  const trail: Map<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(one.length + other.length, DIFF_EDITS_MAX); edits += 1) {
    trail.push(new Map(reached));
    for (let k = -edits; k <= edits; k += 2) {
      let x = stepsDown(reached, k, edits) ? at(reached, k + 1) : at(reached, k - 1) + 1;
      while (x < one.length && x - k < other.length && one[x] === other[x - k]) x += 1;
      reached.set(k, x);
      if (x >= one.length && x - k >= other.length) return walkBack(trail, one, other);
    }
  }
  return null;
}

function walkBack(trail: readonly Map<number, number>[], one: readonly string[], other: readonly string[]): readonly DiffLine[] {
  const backwards: DiffLine[] = [];
  let [x, y] = [one.length, other.length];
  for (let edits = trail.length - 1; edits >= 0; edits -= 1) {
    const reached = trail[edits] ?? new Map<number, number>();
    const down = stepsDown(reached, x - y, edits);
    const fromK = down ? x - y + 1 : x - y - 1;
    const fromX = edits === 0 ? 0 : at(reached, fromK);
    const fromY = edits === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) {
      backwards.push({ sign: " ", text: one[x - 1] ?? "" });
      [x, y] = [x - 1, y - 1];
    }
    if (edits === 0) break;
    backwards.push(down ? { sign: "+", text: other[y - 1] ?? "" } : { sign: "-", text: one[x - 1] ?? "" });
    [x, y] = [fromX, fromY];
  }
  return backwards.toReversed();
}

function stepsDown(reached: ReadonlyMap<number, number>, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && at(reached, k - 1) < at(reached, k + 1));
}

function at(reached: ReadonlyMap<number, number>, k: number): number {
  return reached.get(k) ?? -1;
}

/** Only what changed and a little around it; what is left out in between is counted. */
function hunks(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>();
  for (const [index, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    for (let other = index - CONTEXT_LINES; other <= index + CONTEXT_LINES; other += 1) near.add(other);
  }
  const shown: DiffLine[] = [];
  let skipped = 0;
  const leaveOut = (): void => {
    if (skipped > 0) shown.push({ sign: "@", text: `${skipped} unchanged ${skipped === 1 ? "line" : "lines"}` });
    skipped = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!near.has(index)) {
      skipped += 1;
      continue;
    }
    leaveOut();
    shown.push(line);
  }
  leaveOut();
  return shown;
}
