import { foldWord } from "../../wire/display.ts";
import { fill } from "../layout.ts";
import type { Paint } from "../paint.ts";
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
    `${String(number).padStart(2)} ${ok ? paint.green("ok") : paint.red("NO")} ${paint.bold(title)}`,
    ...(code === undefined ? [] : [`${INDENT}refused: ${paint.yellow(code)}${named}`]),
    ...(says === "" ? [] : fill(says, room).map((line) => INDENT + line)),
    ...(approved === undefined ? [] : sideLines("approved", approved, room, paint.green)),
    ...(found === undefined ? [] : sideLines("found", found, room, paint.red)),
    ...(screen ?? []).map((line) => `  ${line}`),
  ];
}

function sideLines(label: string, { what, sha256 }: Side, room: number, ink: (text: string) => string): readonly string[] {
  const lines = (name: string, text: string): readonly string[] =>
    foldWord(text, room - LABEL_COLUMNS).lines.map(
      (line, index) => `${INDENT}${(index === 0 ? name : "").padEnd(LABEL_COLUMNS)}${ink(line)}`,
    );
  return [...lines(label, what), ...(sha256 === undefined ? [] : lines("  sha256", sha256))];
}
