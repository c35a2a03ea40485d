/** The last bytes of a stream that may be endless. What came before is counted and let go, so a run never grows the daemon. */
import { OUTPUT_ESCAPED_BYTES_MAX } from "../core/limits.ts";

export interface OutputTail {
  push(bytes: Uint8Array): void;
  bytes(): number;
  isTruncated(): boolean;
  /** Cut at a UTF-8 boundary; invalid UTF-8 becomes the replacement character. */
  text(): string;
}

/** As much of the tail as an answer can carry: a control character takes six bytes there. */
export function answerable(tail: OutputTail): { readonly text: string; readonly truncated: boolean } {
  const whole = tail.text();
  const text = lastThatFits(whole, OUTPUT_ESCAPED_BYTES_MAX);
  return { text, truncated: tail.isTruncated() || text.length < whole.length };
}

function lastThatFits(text: string, bytesMax: number): string {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= bytesMax) return text;
  // What stands at the end may be longer when escaped than what stood before it: then the next step cuts again.
  const kept = text.slice(-Math.floor((text.length * bytesMax) / bytes) + 1);
  return lastThatFits(/^[\udc00-\udfff]/.test(kept) ? kept.slice(1) : kept, bytesMax);
}

export function createOutputTail(bytesMax: number): OutputTail {
  const chunks: Uint8Array[] = [];
  let held = 0;
  let seen = 0;
  return {
    push: (bytes) => {
      seen += bytes.length;
      // A copy of what is needed: a slice would keep the reader's whole buffer alive.
      chunks.push(Uint8Array.prototype.slice.call(bytes, Math.max(0, bytes.length - bytesMax)));
      held += Math.min(bytes.length, bytesMax);
      for (let first = chunks[0]; first !== undefined && held - first.length >= bytesMax; first = chunks[0]) {
        held -= first.length;
        chunks.shift();
      }
    },
    bytes: () => seen,
    isTruncated: () => seen > bytesMax,
    text: () => {
      if (seen === 0) return "";
      const all = Buffer.concat(chunks);
      const tail = all.subarray(Math.max(0, all.length - bytesMax));
      return new TextDecoder().decode(seen > bytesMax ? tail.subarray(continuationBytes(tail)) : tail);
    },
  };
}

/** How many bytes at the front belong to a character whose beginning was cut off: at most three, RFC 3629. */
function continuationBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}
