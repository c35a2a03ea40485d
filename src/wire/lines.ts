/** Bytes become lines before anything looks into them: measured in bytes, bounded, and valid UTF-8 or refused. */
import { type Denial, denial } from "../core/denial.ts";
import { LINE_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The next whole line without its newline, or `null` when more bytes are needed. After `wire.line-too-long` nothing more comes. */
  next(): Result<string, Denial> | null;
  /** The memory that is kept for what was pushed and has not come out as a line. */
  heldBytes(): number;
  /** Lets go of everything, and nothing more comes. */
  end(): void;
}

const NEWLINE = 0x0a;
// A byte order mark is not skipped: it is part of the line, and no JSON.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const FIRST_SLAB_BYTES = 4096;
const SLAB_BYTES_MAX = 64 * 1024;

export function lineSplitter(bytesMax = LINE_BYTES_MAX): LineSplitter {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  // The unfinished line is copied into slabs: a peer that sends byte by byte costs no more than its bytes, and a long line leaves nothing
  // behind while it grows, as a buffer would that is replaced by a larger one.
  const slabs: Uint8Array[] = [];
  let slabBytes = 0;
  let lineBytes = 0;
  let ended = false;

  const forgetLine = (): void => {
    slabs.length = 0;
    slabBytes = 0;
    lineBytes = 0;
  };

  const end = (): void => {
    ended = true;
    waiting.length = 0;
    waitingBytes = 0;
    forgetLine();
  };

  const room = (): Uint8Array => {
    const last = slabs.at(-1);
    if (last !== undefined && lineBytes < slabBytes) return last.subarray(last.length - (slabBytes - lineBytes));
    const added = new Uint8Array(last === undefined ? FIRST_SLAB_BYTES : Math.min(2 * last.length, SLAB_BYTES_MAX));
    slabs.push(added);
    slabBytes += added.length;
    return added;
  };

  const hold = (part: Uint8Array): void => {
    for (let rest = part; rest.length > 0; ) {
      const free = room();
      const fitting = rest.subarray(0, free.length);
      free.set(fitting);
      lineBytes += fitting.length;
      rest = rest.subarray(fitting.length);
    }
  };

  const finish = (tail: Uint8Array): Result<string, Denial> => {
    if (lineBytes === 0) return decode(tail);
    hold(tail);
    const line = new Uint8Array(slabBytes);
    let at = 0;
    for (const slab of slabs) {
      line.set(slab, at);
      at += slab.length;
    }
    const text = decode(line.subarray(0, lineBytes));
    forgetLine();
    return text;
  };

  return {
    push(chunk) {
      if (ended || chunk.length === 0) return;
      waiting.push(chunk);
      waitingBytes += chunk.length;
    },
    next() {
      for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
        const at = chunk.indexOf(NEWLINE);
        const part = at < 0 ? chunk : chunk.subarray(0, at);
        if (lineBytes + part.length > bytesMax) {
          end();
          return fail(denial("wire.line-too-long", `a line is longer than ${bytesMax} bytes; send less at a time`, { limit: bytesMax }));
        }
        waitingBytes -= at < 0 ? part.length : part.length + 1;
        if (at < 0) {
          hold(part);
          continue;
        }
        if (at + 1 < chunk.length) waiting.unshift(chunk.subarray(at + 1));
        return finish(part);
      }
      return null;
    },
    heldBytes: () => slabBytes + waitingBytes,
    end,
  };
}

function decode(bytes: Uint8Array): Result<string, Denial> {
  try {
    return ok(UTF8.decode(bytes));
  } catch {
    return fail(denial("wire.bad-utf8", "a line is not valid UTF-8; send UTF-8"));
  }
}
