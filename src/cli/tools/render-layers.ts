/** Tables of what the layers said. Sources and rules come from a file that somebody wrote, and are shown with every character visible. */
import type { Paint } from "../paint.ts";
import { inked } from "../watch/pending.ts";
import { columnsOf, padded } from "../watch/width.ts";

export interface ShownRow {
  readonly layer: string;
  readonly source: string;
  readonly verdict: string;
  readonly rule: string;
}

export function layerTable(rows: readonly ShownRow[], paint: Paint): readonly string[] {
  const cells = rows.map(({ layer, verdict, source, rule }) => [layer, verdict, inked(source), inked(rule)]);
  return tableOf(["LAYER", "SAYS", "SOURCE", "RULE"], cells, paint).map((line, index) =>
    rows[index - 1]?.verdict === "deny" ? paint.red(line) : line,
  );
}

export function toolTable(tools: readonly (ShownRow & { readonly tool: string })[], paint: Paint): readonly string[] {
  const cells = tools.map(({ tool, layer, source, rule }) => [inked(tool), layer, inked(source), inked(rule)]);
  return tableOf(["TOOL", "BY LAYER", "SOURCE", "RULE"], cells, paint);
}

/** The last column is never padded, and nothing is cut. */
function tableOf(heads: readonly string[], rows: readonly (readonly string[])[], paint: Paint): readonly string[] {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => columnsOf(row[column] ?? ""))));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, column) => (column === cells.length - 1 ? cell : padded(cell, widths[column] ?? 0))).join("  ")}`.trimEnd();
  return [paint.dim(line(heads)), ...rows.map(line)];
}
