/** Sentences of the command line: folded for a person at a screen, one line each in a file or a pipe. */
import type { Io } from "./command.ts";
import { columnsOf, wrapped } from "./width.ts";

export function tell(io: Io, text: string, indent = "  "): void {
  for (const line of linesFor(io.stdout, text, indent)) io.out(line);
}

/** The same on standard error. */
export function warn(io: Io, text: string, indent = "  "): void {
  for (const line of linesFor(io.stderr, text, indent)) io.err(line);
}

function linesFor(stream: NodeJS.WriteStream, text: string, indent: string): readonly string[] {
  return stream.isTTY ? wrapped(text, columnsOfStream(stream), indent) : [text];
}

const COLUMNS_MIN = 20;
const COLUMNS_USUAL = 80;

/** Without end where there is no terminal. A terminal that nobody told its size says 0, tty_ioctl(4). */
export function columnsOfStream(stream: NodeJS.WriteStream): number {
  if (!stream.isTTY) return Number.POSITIVE_INFINITY;
  return stream.columns > 0 ? Math.max(COLUMNS_MIN, stream.columns) : COLUMNS_USUAL;
}

/** A command to type next. It is never folded, because a line break in it would start its first half. */
export function tellCommand(io: Io, before: string, command: string): void {
  const line = `${before} ${command}`;
  for (const text of columnsOf(line) <= columnsOfStream(io.stderr) ? [line] : [before, `  ${command}`]) io.err(text);
}
