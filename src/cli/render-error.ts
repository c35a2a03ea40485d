/** A refusal for a person: what is so, its code, what was approved and what was found, and what to do next. */
import type { CallError } from "../client/call-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { shownText } from "../wire/shown-text.ts";
import type { Paint } from "./paint.ts";
import { visibleText } from "./render-command.ts";

export function errorLines(error: CallError, paint: Paint): readonly string[] {
  const { data } = error;
  return [
    `${paint.red("countersign:")} ${visibleText(error.message)}`,
    ...(error.code.startsWith("client.") ? [] : [`  ${paint.dim("code")} ${error.code}`]),
    ...differencesOf(data).flatMap((difference) => differenceLines(difference, paint)),
    ...(NEXT.get(error.code) ?? []).map((line) => `  ${paint.dim("next")} ${line}`),
  ];
}

/** What to type next, where the daemon's sentence, which is for every client, cannot know. */
const NEXT: ReadonlyMap<string, readonly string[]> = new Map([
  ["approval.required", ["countersign run --wait …    while somebody listens: countersign pending --watch"]],
  ["approval.no-route", ["countersign pending --watch    in another terminal, then again"]],
  ["approval.expired", ["countersign run --wait …    and have it answered in time"]],
  ["policy.allowlist-miss", ["countersign check -- …    says why, and what would allow it"]],
  ["policy.analysis-failed", ["countersign check --command …    says what could not be read, and where"]],
  ["state.corrupt", ["countersign doctor    says where it is broken"]],
  ["config.invalid", ["countersign doctor    says what is wrong and what mends it"]],
]);

export function errorJson(code: string, message: string, data: JsonObject): JsonObject {
  const { code: _, ...rest } = data;
  return { error: { code, message, data: rest } };
}

function differencesOf(data: JsonObject): readonly JsonObject[] {
  const { differences } = data;
  return Array.isArray(differences) ? differences.filter(isJsonObject) : [];
}

function differenceLines(difference: JsonObject, paint: Paint): readonly string[] {
  const { field, approved, found } = difference;
  return [`  ${paint.bold(shown(field))}`, `    approved ${paint.green(shown(approved))}`, `    found    ${paint.red(shown(found))}`];
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
