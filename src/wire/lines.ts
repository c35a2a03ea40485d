/** Bytes become lines before anything looks into them: measured in bytes, bounded, and valid UTF-8 or refused. */
import { type Denial, denial } from "../core/denial.ts";
import { LINE_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The next whole line without its newline, or `null` when more bytes are needed. After `wire.line-too-long` nothing more comes. */
  next(): Result<string, Denial> | null;
}

const NEWLINE = 0x0a;
// A byte order mark is not skipped: it is part of the line, and no JSON.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const FIRST_CAPACITY_BYTES = 4096;

export function lineSplitter(bytesMax = LINE_BYTES_MAX): LineSplitter {
  const waiting: Uint8Array[] = [];
  // The unfinished line is copied into one buffer that doubles: a peer that sends byte by byte costs no more than its bytes.
  let held = new Uint8Array(0);
  let heldBytes = 0;
  let overlong = false;

  const hold = (part: Uint8Array): void => {
    if (heldBytes + part.length > held.length) {
      const grown = new Uint8Array(Math.min(bytesMax, Math.max(FIRST_CAPACITY_BYTES, 2 * (heldBytes + part.length))));
      grown.set(held.subarray(0, heldBytes));
      held = grown;
    }
    held.set(part, heldBytes);
    heldBytes += part.length;
  };

  const finish = (tail: Uint8Array): Result<string, Denial> => {
    if (heldBytes === 0) return decode(tail);
    hold(tail);
    const line = decode(held.subarray(0, heldBytes));
    held = new Uint8Array(0);
    heldBytes = 0;
    return line;
  };

  return {
    push(chunk) {
      if (!overlong && chunk.length > 0) waiting.push(chunk);
    },
    next() {
      for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
        const end = chunk.indexOf(NEWLINE);
        const part = end < 0 ? chunk : chunk.subarray(0, end);
        if (heldBytes + part.length > bytesMax) {
          overlong = true;
          waiting.length = 0;
          held = new Uint8Array(0);
          return fail(denial("wire.line-too-long", `a line is longer than ${bytesMax} bytes; send less at a time`, { limit: bytesMax }));
        }
        if (end < 0) {
          hold(part);
          continue;
        }
        if (end + 1 < chunk.length) waiting.unshift(chunk.subarray(end + 1));
        return finish(part);
      }
      return null;
    },
  };
}

function decode(bytes: Uint8Array): Result<string, Denial> {
  try {
    return ok(UTF8.decode(bytes));
  } catch {
    return fail(denial("wire.bad-utf8", "a line is not valid UTF-8; send UTF-8"));
  }
}
