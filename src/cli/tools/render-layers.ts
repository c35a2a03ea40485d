/** Tables of what the layers said. Sources and rules come from a file that somebody wrote, and are shown with every character visible. */

import { visibleText } from "../../wire/visible.ts";
import type { Paint } from "../paint.ts";
import { tableLines } from "../table.ts";

export interface ShownRow {
  readonly layer: string;
  readonly source: string;
  readonly verdict: string;
  readonly rule: string;
}

export function layerTable(rows: readonly ShownRow[], paint: Paint, columns: number): readonly string[] {
  const ink = (verdict: string): string => (verdict === "deny" ? paint.red(verdict) : verdict);
  const cells = rows.map(({ layer, verdict, source, rule }) => [layer, ink(verdict), visibleText(source), visibleText(rule)]);
  return tableLines(["LAYER", "SAYS", "SOURCE", "RULE"], cells, paint, columns, "  ");
}

export function toolTable(tools: readonly (ShownRow & { readonly tool: string })[], paint: Paint, columns: number): readonly string[] {
  const cells = tools.map(({ tool, layer, source, rule }) => [visibleText(tool), layer, visibleText(source), visibleText(rule)]);
  return tableLines(["TOOL", "BY LAYER", "SOURCE", "RULE"], cells, paint, columns, "  ");
}
