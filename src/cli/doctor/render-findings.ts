/** What the doctor found, one finding after the other: how it is, what it is about, the fact, and what to do. */
import { visibleText } from "../../wire/visible.ts";
import type { Paint } from "../paint.ts";
import { wrapped } from "../width.ts";
import type { Mended } from "./finding.ts";

const MARK_COLUMNS = 5;
const GAP = "  ";
/** With less room beside its name a fact goes below it: a path in it would be torn into many lines. */
const FACT_COLUMNS_MIN = 36;

export function findingLines(findings: readonly Mended[], paint: Paint, columns: number): readonly string[] {
  const marks = { good: paint.green("ok   "), note: paint.cyan("note "), weak: paint.yellow("weak "), fails: paint.red("FAILS") };
  const width = Math.max(0, ...findings.map(({ about }) => about.length));
  const beside = MARK_COLUMNS + GAP.length + width + GAP.length;
  const isBelow = columns - beside < FACT_COLUMNS_MIN;
  const indent = " ".repeat(isBelow ? MARK_COLUMNS + GAP.length : beside);
  const room = columns - indent.length;
  return findings.flatMap(({ about, level, message, remedy }) => {
    const fact = wrapped(visibleText(message), room);
    const head = `${marks[level]}${GAP}${about.padEnd(width)}`;
    return [
      ...(isBelow ? [head.trimEnd()] : [`${head}${GAP}${fact[0] ?? ""}`]),
      ...fact.slice(isBelow ? 0 : 1).map((line) => indent + line),
      ...(remedy === undefined ? [] : wrapped(`→ ${visibleText(remedy)}`, room, "  ").map((line) => paint.dim(indent + line))),
    ];
  });
}
