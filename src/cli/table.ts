import type { Io } from "./command.ts";
import type { Paint } from "./paint.ts";
import { columnsOf, padded, wrapped } from "./width.ts";

/** What folding needs: the width of a screen, or `null` where lines go into a file or a pipe and stay whole. */
export function screenColumns(io: Io): number | null {
  return io.stdout.isTTY ? io.columns() : null;
}

const LAST_COLUMNS_MIN = 24;

/** Rows under heads. Nothing is cut: what does not fit into the last column is folded under it, and on a narrow screen below its row. */
export function tableLines(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint,
  columns: number | null,
  indent = "",
): readonly string[] {
  const widths = heads.map((head, column) => Math.max(columnsOf(head), ...rows.map((row) => columnsOf(row[column] ?? ""))));
  const start = indent.length + widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const line = (cells: readonly string[]): readonly string[] => {
    const left =
      indent +
      cells
        .slice(0, -1)
        .map((cell, column) => `${padded(cell, widths[column] ?? 0)}  `)
        .join("");
    const last = cells.at(-1) ?? "";
    if (columns === null || start + columnsOf(last) <= columns) return [(left + last).trimEnd()];
    const below = `${indent}    `;
    if (columns - start < LAST_COLUMNS_MIN)
      return [left.trimEnd(), ...wrapped(last, columns - below.length).map((text) => (below + text).trimEnd())];
    return wrapped(last, columns - start).map((text, index) => ((index === 0 ? left : " ".repeat(start)) + text).trimEnd());
  };
  return [...line(heads).map(paint.dim), ...rows.flatMap(line)];
}
