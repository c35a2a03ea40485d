/** The daemon's state as a person asks for it: is it up, how strong is it, is there anything to do. Everything else is in `--json`. */

import { lstatSync } from "node:fs";
import { count, flag, type Guarded, list, maybe, object, optional, text } from "../client/shape.ts";
import { spanText } from "./moments.ts";
import type { Paint } from "./paint.ts";
import { labelled, labelledSentence } from "./render-command.ts";
import { wrapped } from "./width.ts";

export const isStatus = object({
  version: text,
  uptimeMs: count,
  pid: maybe(count),
  role: text,
  hostId: text,
  enforcement: object({ level: text, parts: optional(list(object({ part: text, level: text, rests: maybe(text) }))) }),
  counts: object({ pending: count, allowed: count, running: count, connections: object({ open: count, operators: count }) }),
  document: object({ ok: flag, reason: maybe(text) }),
  settings: object({ path: maybe(text), problem: maybe(text) }),
  operatorAttached: flag,
  notCovered: list(text),
});

export function statusLines(status: Guarded<typeof isStatus>, paint: Paint, columns: number): readonly string[] {
  const { counts, enforcement, document, settings } = status;
  const loud: Paint = { ...paint, dim: (label) => paint.bold(paint.red(label)) };
  const sentence = (label: string, said: string, ink = paint): readonly string[] => labelledSentence(label, said, columns, ink);
  return [
    ...wrapped(
      `${paint.green("up")} for ${spanText(status.uptimeMs)}: countersign ${status.version}${typeof status.pid === "number" ? `, pid ${status.pid}` : ""}`,
      columns,
      "  ",
    ),
    ...status.notCovered.flatMap((said) => sentence("NOT COVERED", said, loud)),
    ...(document.ok ? [] : sentence("POLICY", document.reason ?? "cannot be read", loud)),
    ...(typeof settings.problem === "string" ? sentence("SETTINGS", settings.problem, loud) : []),
    ...sentence("enforcement", enforcement.level),
    ...(enforcement.parts ?? []).flatMap(({ part, level, rests }) =>
      sentence(`  ${part}`, `${level}${typeof rests === "string" ? `: ${rests}` : ""}`),
    ),
    ...sentence("waiting", `${counts.pending} for an answer, ${counts.allowed} allowed and not used yet`),
    ...sentence("running", String(counts.running)),
    ...sentence("connections", `${counts.connections.open}, this one included; operators: ${counts.connections.operators}`),
    ...sentence(
      "operator",
      status.operatorAttached ? "somebody listens for requests" : "nobody listens, so requests expire at once: countersign watch",
    ),
    ...(typeof settings.path === "string" ? sentence("settings", settingsText(settings.path)) : []),
    ...labelled("host", status.hostId, columns, paint),
    ...sentence("you are", `${status.role === "operator" ? "an" : "a"} ${status.role}`),
  ];
}

/** The file is optional. Where this user may not look, its place is all that can be said. */
function settingsText(path: string): string {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? `the defaults; there is no ${path}` : path;
  } catch {
    return path;
  }
}
