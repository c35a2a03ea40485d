/** What the daemon says, as lines. No line is ever longer than the peer may send one: an answer that would be is an error instead. */
import { CODES } from "../core/codes.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { LINE_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { RequestId } from "./frame.ts";

/** With its newline. */
export function resultLine(id: RequestId, result: JsonObject): Buffer {
  return bounded({ jsonrpc: "2.0", id, result }) ?? errorLine(id, tooLong());
}

/** `code` comes last, so that no detail can pass for it. */
export function errorLine(id: RequestId | null, refused: Denial): Buffer {
  const error = (details: JsonObject): JsonObject => ({
    jsonrpc: "2.0",
    id,
    error: { code: CODES[refused.code].rpc, message: refused.message, data: { ...details, code: refused.code } },
  });
  // Details can be as long as what they are about; the code is what clients branch on.
  return bounded(error(refused.details)) ?? lineOf(error({ detailsOmitted: true }));
}

export function notificationLine(method: string, params: JsonObject): Result<Buffer, Denial> {
  const line = bounded({ jsonrpc: "2.0", method, params });
  return line === null ? fail(tooLong()) : ok(line);
}

function bounded(frame: JsonObject): Buffer | null {
  const line = lineOf(frame);
  return line.length - 1 <= LINE_BYTES_MAX ? line : null;
}

function lineOf(frame: JsonObject): Buffer {
  // JSON.stringify writes lone surrogates as escapes and never a raw newline: one frame is one line of UTF-8.
  return Buffer.from(`${JSON.stringify(frame)}\n`, "utf8");
}

function tooLong(): Denial {
  return denial("internal", "the answer is longer than a line may be; ask for fewer items at a time", { limit: LINE_BYTES_MAX });
}
