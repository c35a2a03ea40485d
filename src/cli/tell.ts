/** Sentences of the command line: folded for a person at a screen, one line each in a file or a pipe. */
import type { Io } from "./command.ts";
import { wrapped } from "./width.ts";

export function tell(io: Io, text: string, indent = "  "): void {
  for (const line of linesFor(io.stdout, text, indent)) io.out(line);
}

/** The same on standard error. */
export function warn(io: Io, text: string, indent = "  "): void {
  for (const line of linesFor(io.stderr, text, indent)) io.err(line);
}

function linesFor(stream: NodeJS.WriteStream, text: string, indent: string): readonly string[] {
  return stream.isTTY ? wrapped(text, stream.columns, indent) : [text];
}
