/** `countersign policy settings [KEY]`: every key of the settings file, what it takes, what holds without it and what it means. */
import { isWithin, type SettingGroup, settingGroups } from "../../config/setting-groups.ts";
import type { SettingRow } from "../../config/setting-rows.ts";
import { defaultText, valuesText } from "../../config/setting-words.ts";
import { closest } from "../../core/did-you-mean.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type Paint, painter } from "../paint.ts";
import { wrapped } from "../width.ts";

export function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const [wanted] = call.operands;
  const groups = settingGroups();
  const rows = groups.flatMap((group) => group.rows.filter(({ key }) => wanted === undefined || key.startsWith(wanted)));
  if (rows.length === 0) throw unknownKey(wanted ?? "", groups);
  if (call.has("json")) {
    io.out(JSON.stringify({ settings: rows.map(settingJson) }));
    return Promise.resolve(EXIT.ok);
  }
  const paint = painter(io.colour);
  for (const row of rows) for (const line of rowLines(row, paint, io.columns())) io.out(line);
  const example = wanted === undefined ? undefined : groups.findLast(({ name }) => isWithin(wanted, name))?.example;
  if (example !== undefined)
    for (const line of ["", paint.bold("example"), ...example.split("\n").map((each) => `  ${each}`)]) io.out(line);
  return Promise.resolve(EXIT.ok);
}

/** On a screen what is said about a key stands below it; in a pipe all of it is on one line, for grep. */
function rowLines(row: SettingRow, paint: Paint, columns: number): readonly string[] {
  const said = [plain(valuesText(row)) + usualText(row), plain(row.about)];
  if (columns === Number.POSITIVE_INFINITY) return [[row.key, ...said].join("  ")];
  const [first = "", ...rest] = wrapped(row.key, columns);
  return [
    paint.cyan(first),
    ...rest.map((line) => `  ${paint.cyan(line)}`),
    ...said.flatMap((text, index) => wrapped(text, columns - 4).map((line) => `    ${index === 0 ? paint.dim(line) : line}`)),
  ];
}

function usualText(row: SettingRow): string {
  const usual = plain(defaultText(row));
  if (usual === "required") return "; required";
  return row.schema["default"] === undefined ? "" : `; default: ${usual}`;
}

/** Backticks are for the page; values are quoted already, and words such as `full` are plain enough here. */
function plain(text: string): string {
  return text.replaceAll("`", "");
}

function settingJson(row: SettingRow): object {
  const { key, about, isRequired, sameAs, schema } = row;
  return { key, values: plain(valuesText(row)), default: schema["default"] ?? null, required: isRequired, about, sameAs: sameAs ?? null };
}

function unknownKey(wanted: string, groups: readonly SettingGroup[]): UsageError {
  const keys = groups.flatMap(({ rows }) => rows.map(({ key }) => key));
  const own = keys.filter((key) => key.endsWith(`.${wanted}`));
  const meant = own[0] ?? closest(wanted, keys);
  const remedy = meant === null ? "without a key all are listed" : `did you mean \`${meant}\`?`;
  return new UsageError(`no setting begins with \`${wanted}\`; ${remedy}`);
}
