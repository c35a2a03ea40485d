/** A refusal for a person: what is so, its code, what was approved and what was found, and what to do next. */

import type { CallError } from "../client/call-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { shownText } from "../wire/shown-text.ts";
import { visibleText } from "../wire/visible.ts";
import type { Paint } from "./paint.ts";
import { wrapped } from "./width.ts";

/** `columns` is the screen's width, without end for a file or a log, where a message stays on its one line. */
export function errorLines(error: CallError, paint: Paint, columns: number): readonly string[] {
  const { data } = error;
  const message = `${paint.red("countersign:")} ${visibleText(error.message)}`;
  return [
    ...wrapped(message, columns, "  "),
    ...(error.code.startsWith("client.") ? [] : [`  ${paint.dim("code")} ${error.code}`]),
    ...differencesOf(data).flatMap((difference) => differenceLines(difference, paint, columns)),
    ...nextLines(error, paint, columns),
  ];
}

/** What to type next, where the daemon's sentence, which is for every client, cannot know. */
const NEXT: ReadonlyMap<string, string> = new Map([
  ["approval.required", "add --wait while somebody runs: countersign watch"],
  ["approval.no-route", "run countersign watch in another terminal, then try again"],
  ["approval.expired", "ask again with --wait, and have it answered in time"],
  ["approval.unknown", "countersign pending lists what waits"],
  ["approval.ambiguous", "countersign pending lists the whole ids"],
  ["policy.allowlist-miss", "countersign check -- COMMAND says why, and what would allow it"],
  ["policy.analysis-failed", "countersign check --command TEXT says what could not be read, and where"],
  ["state.corrupt", "countersign doctor says where it is broken"],
]);

const WHILE_PENDING = "countersign pending shows it to whoever answers; countersign approve allows it";

/** A sentence that names the command to type is not followed by another. */
function nextLines({ code, message, data }: CallError, paint: Paint, columns: number): readonly string[] {
  // An approval that is there and not decided yet is no reason to ask for another.
  const next = data["state"] === "pending" ? WHILE_PENDING : NEXT.get(code);
  if (next === undefined || message.includes("`countersign ")) return [];
  return wrapped(`  ${paint.dim("next")} ${next}`, columns, "       ");
}

export function errorJson(code: string, message: string, data: JsonObject): JsonObject {
  const { code: _, ...rest } = data;
  return { error: { code, message, data: rest } };
}

function differencesOf(data: JsonObject): readonly JsonObject[] {
  const { differences } = data;
  return Array.isArray(differences) ? differences.filter(isJsonObject) : [];
}

function differenceLines(difference: JsonObject, paint: Paint, columns: number): readonly string[] {
  const { field, approved, found } = difference;
  return [
    `  ${paint.bold(shown(field))}`,
    ...wrapped(`    approved ${paint.green(shown(approved))}`, columns, "      "),
    ...wrapped(`    found    ${paint.red(shown(found))}`, columns, "      "),
  ];
}

/** A file is its path and its hash; anything else is what it says. */
function shown(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return shownText(value);
  if (isJsonObject(value) && typeof value["path"] === "string" && typeof value["sha256"] === "string") {
    return `${shownText(value["path"])} sha256:${value["sha256"]}`;
  }
  return shownText(JSON.stringify(value), Number.MAX_SAFE_INTEGER);
}
