import type { Paint } from "../paint.ts";
import { hashRows } from "../render-command.ts";
import { folded, wrapped } from "../width.ts";
import type { Shown, Side } from "./scene.ts";

const INDENT = "      ";
const LABEL_COLUMNS = 9;

/** A line of what was done, one of what came of it with code and field; what was approved and what was found below, whole. */
export function sceneLines(
  number: number,
  { title, ok, shown }: { readonly title: string; readonly ok: boolean; readonly shown: Shown },
  paint: Paint,
  columns: number,
): readonly string[] {
  const { says, code, field, approved, found, screen } = shown;
  const room = columns - INDENT.length;
  const named = field === undefined ? "" : `  ${paint.bold(field)}`;
  return [
    "",
    ...wrapped(`${String(number).padStart(2)} ${ok ? paint.green("ok") : paint.red("NO")} ${paint.bold(title)}`, columns, INDENT),
    ...(code === undefined ? [] : wrapped(`refused: ${paint.yellow(code)}${named}`, room).map((line) => INDENT + line)),
    ...(says === "" ? [] : wrapped(says, room).map((line) => INDENT + line)),
    ...(approved === undefined ? [] : sideLines("approved", approved, room, paint.green)),
    ...(found === undefined ? [] : sideLines("found", found, room, paint.red)),
    ...(screen ?? []).map((line) => `  ${line}`),
  ];
}

function sideLines(label: string, { what, sha256 }: Side, room: number, ink: (text: string) => string): readonly string[] {
  const rows = (name: string, texts: readonly string[]): readonly string[] =>
    texts.map((text, index) => `${INDENT}${(index === 0 ? name : "").padEnd(LABEL_COLUMNS)}${ink(text)}`);
  const columns = room - LABEL_COLUMNS;
  return [...rows(label, folded(what, columns)), ...(sha256 === undefined ? [] : rows("  sha256", hashRows(sha256, columns)))];
}
