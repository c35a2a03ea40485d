/** Reads a segment line by line with exact offsets, a piece at a time: a long journal must not become a large process. */
import type { FileHandle } from "node:fs/promises";

export interface Line {
  /** Without the line feed. */
  readonly bytes: Buffer;
  /** Counted from one. */
  readonly number: number;
  readonly start: number;
  /** Where the next line starts. */
  readonly end: number;
  /** Whether a line feed ends it; only the last line of a file can lack one. */
  readonly complete: boolean;
}

const PIECE_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/** `end` bounds what is looked at, for a file that is still being written to. */
export async function* readLines(file: FileHandle, end = Number.POSITIVE_INFINITY): AsyncGenerator<Line, void, undefined> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let offset = 0;
  let start = 0;
  let number = 1;
  for (;;) {
    const wanted = Math.min(PIECE_BYTES, end - offset);
    if (wanted <= 0) break;
    const piece = Buffer.allocUnsafe(wanted);
    const { bytesRead } = await file.read(piece, 0, piece.length, offset);
    if (bytesRead === 0) break;
    offset += bytesRead;
    let from = 0;
    for (let at = piece.indexOf(LINE_FEED); at >= 0 && at < bytesRead; at = piece.indexOf(LINE_FEED, from)) {
      const bytes = Buffer.concat([...rest, piece.subarray(from, at)], restBytes + at - from);
      yield { bytes, number, start, end: start + bytes.length + 1, complete: true };
      start += bytes.length + 1;
      number += 1;
      from = at + 1;
      rest = [];
      restBytes = 0;
    }
    rest.push(piece.subarray(from, bytesRead));
    restBytes += bytesRead - from;
  }
  if (restBytes > 0) yield { bytes: Buffer.concat(rest, restBytes), number, start, end: start + restBytes, complete: false };
}

/** The complete lines before `end`, the last one first; what follows the last line feed is left out. They are not numbered. */
export async function* readLinesBackwards(file: FileHandle, end: number): AsyncGenerator<Omit<Line, "number">, void, undefined> {
  let held: Buffer = Buffer.alloc(0);
  let start = end;
  let lineEnd: number | null = null;
  while (start > 0) {
    const from = Math.max(0, start - PIECE_BYTES);
    const piece = Buffer.allocUnsafe(start - from);
    const { bytesRead } = await file.read(piece, 0, piece.length, from);
    if (bytesRead < piece.length) return;
    held = Buffer.concat([piece, held]);
    start = from;
    for (let at = held.lastIndexOf(LINE_FEED); at >= 0; at = held.lastIndexOf(LINE_FEED)) {
      if (lineEnd !== null) yield { bytes: held.subarray(at + 1), start: start + at + 1, end: lineEnd, complete: true };
      lineEnd = start + at + 1;
      held = held.subarray(0, at);
    }
  }
  if (lineEnd !== null) yield { bytes: held, start: 0, end: lineEnd, complete: true };
}

/**
 * Whether a crash can have left this line: it lacks its end, or holds NUL bytes, which is how blocks read that were never written when
 * the power failed. No record has a NUL in it, since JSON escapes them.
 */
export function looksTorn(line: Line): boolean {
  return !line.complete || line.bytes.includes(0);
}
