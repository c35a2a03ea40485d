import type { Paint } from "./paint.ts";
import { columnsOf, padded, wrapped } from "./width.ts";

const LAST_COLUMNS_MIN = 24;
const BELOW = "    ";

/** Rows under heads. Nothing is cut: what does not fit into the last column is folded under it, and on a narrow screen below its row. */
export function tableLines(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint,
  columns: number,
  indent = "",
): readonly string[] {
  const widths = heads.map((head, column) => Math.max(columnsOf(head), ...rows.map((row) => columnsOf(row[column] ?? ""))));
  const start = indent.length + widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  if (start - 2 > columns) return rows.flatMap((row) => block(heads, row, paint, columns, indent));
  const line = (cells: readonly string[]): readonly string[] => {
    const left =
      indent +
      cells
        .slice(0, -1)
        .map((cell, column) => `${padded(cell, widths[column] ?? 0)}  `)
        .join("");
    const last = cells.at(-1) ?? "";
    if (start + columnsOf(last) <= columns) return [(left + last).trimEnd()];
    const below = indent + BELOW;
    if (columns - start < LAST_COLUMNS_MIN)
      return [left.trimEnd(), ...wrapped(last, columns - below.length).map((text) => (below + text).trimEnd())];
    return wrapped(last, columns - start).map((text, index) => ((index === 0 ? left : " ".repeat(start)) + text).trimEnd());
  };
  return [...line(heads).map(paint.dim), ...rows.flatMap(line)];
}

/** A row on a screen that is narrower than the columns before the last: its first cell, and below it the others by their heads. */
function block(heads: readonly string[], row: readonly string[], paint: Paint, columns: number, indent: string): readonly string[] {
  const [title = "", ...cells] = row;
  const labels = heads.slice(1).map((head) => head.toLowerCase());
  const width = Math.max(...labels.map(columnsOf));
  const start = indent.length + 2 + width + 2;
  const cellLines = (cell: string, index: number): readonly string[] =>
    wrapped(cell, columns - start).map((text, line) => {
      const label = line === 0 ? paint.dim(padded(labels[index] ?? "", width)) : " ".repeat(width);
      return `${indent}  ${label}  ${text}`.trimEnd();
    });
  return [...wrapped(title, columns - indent.length).map((text) => indent + paint.bold(text)), ...cells.flatMap(cellLines)];
}
