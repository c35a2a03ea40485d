import { columnsOf, wrapped } from "./width.ts";

/** A name and what it means; on a screen too narrow for both, the meaning goes below. */
export function twoColumns(
  left: string,
  right: string,
  leftWidth: number,
  columns: number,
  paintLeft: (text: string) => string,
): readonly string[] {
  const gap = 2;
  const start = gap + leftWidth + gap;
  const room = columns - start;
  if (room < 24) return [`  ${paintLeft(left)}`, ...wrapped(right, columns - 6).map((text) => `      ${text}`)];
  const [first = "", ...rest] = wrapped(right, room);
  return [`  ${paintLeft(left)}${" ".repeat(leftWidth - columnsOf(left) + gap)}${first}`, ...rest.map((text) => " ".repeat(start) + text)];
}
