/**
 * JSON values for programs that read as we speak, one per line. Only ndjson's writer is used, and only here: its reader takes a line `null`
 * for the end of everything, bounds no line that arrives whole, and quotes what it could not read in its errors.
 */
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { JsonObject } from "../core/json.ts";

export interface JsonLines {
  write(value: JsonObject): void;
  /** Everything has reached the output when it resolves. */
  close(): Promise<void>;
}

export async function openJsonLines(output: Writable): Promise<JsonLines> {
  // Loaded for the few who follow; everybody else would pay for it.
  const { stringify } = await import("ndjson");
  const lines = stringify();
  lines.pipe(output, { end: false });
  return {
    write: (value) => void lines.write(value),
    async close() {
      const ended = once(lines, "end");
      lines.end();
      await ended;
    },
  };
}
