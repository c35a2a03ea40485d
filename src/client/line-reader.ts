import { LINE_BYTES_MAX } from "../core/limits.ts";

/**
 * Splits what the daemon sends into lines, counting bytes before anything is decoded: whoever listens at the path, this client's memory
 * is bounded. `null` means that a line was too long, and that the connection is of no more use.
 */
export function lineReader(): (chunk: Buffer) => readonly Buffer[] | null {
  let parts: Buffer[] = [];
  let held = 0;
  return (chunk) => {
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, at);
      if (held + piece.length > LINE_BYTES_MAX) return null;
      lines.push(parts.length === 0 ? piece : Buffer.concat([...parts, piece]));
      parts = [];
      held = 0;
      from = at + 1;
    }
    if (from < chunk.length) {
      parts.push(chunk.subarray(from));
      held += chunk.length - from;
    }
    return held > LINE_BYTES_MAX ? null : lines;
  };
}
