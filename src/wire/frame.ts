/** A line becomes a request, or somebody else's dialect, or a refusal that still knows which call it answers. */
import type { Denial } from "../core/denial.ts";
import { denial } from "../core/denial.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { REQUEST_ID_CHARS_MAX } from "../core/limits.ts";
import type { Result } from "../core/result.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { invalid } from "./complaint.ts";
import { shownText } from "./shown-text.ts";

/** Echoed in the answer and compared by the client, so it must survive both ways: no number that a double cannot hold. */
export type RequestId = string | number;

export interface RequestFrame {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonValue | undefined;
}

/** A string `type` and no `jsonrpc`: OpenClaw's dialect. */
export interface DialectFrame {
  readonly kind: "dialect";
  readonly type: string;
  readonly frame: JsonObject;
}

export type Frame = RequestFrame | DialectFrame;

/** `id` is null when the line did not say whom to answer. */
export interface FrameRefusal {
  readonly id: RequestId | null;
  readonly denial: Denial;
}

export function parseFrame(line: string): Result<Frame, FrameRefusal> {
  const parsed = parseStrictJson(line);
  if (!parsed.ok) return refuse(null, parsed.failure);
  const frame = parsed.value;
  if (Array.isArray(frame)) return refuse(null, denial("wire.not-an-object", "batches are not taken; send one call per line"));
  if (!isJsonObject(frame)) return refuse(null, denial("wire.not-an-object", "a line must hold one JSON object; wrap it in a call"));
  if (typeof frame["type"] === "string" && frame["jsonrpc"] === undefined) {
    return { ok: true, value: { kind: "dialect", type: frame["type"], frame } };
  }
  return requestOf(frame);
}

const MEMBERS = new Set(["jsonrpc", "id", "method", "params"]);

function requestOf(frame: JsonObject): Result<Frame, FrameRefusal> {
  const { jsonrpc, method, params } = frame;
  const id = isRequestId(frame["id"]) ? frame["id"] : null;
  if (id === null) {
    return refuse(
      null,
      invalid(
        "id",
        `must be a string of at most ${REQUEST_ID_CHARS_MAX} characters or a number within 2^53; calls without an answer are not taken`,
      ),
    );
  }
  const unknown = Object.keys(frame).find((key) => !MEMBERS.has(key));
  if (unknown !== undefined) {
    const path = unknown.slice(0, 256);
    return refuse(id, denial("wire.unknown-field", `\`${shownText(path)}\` is not a known member of a call; leave it out`, { path }));
  }
  if (jsonrpc !== "2.0") return refuse(id, invalid("jsonrpc", "must be `2.0`"));
  if (typeof method !== "string") return refuse(id, invalid("method", "must be a string"));
  if (params !== undefined && !isJsonObject(params)) return refuse(id, invalid("params", "must be an object; parameters go by name"));
  return { ok: true, value: { kind: "request", id, method, params } };
}

function isRequestId(value: JsonValue | undefined): value is RequestId {
  if (typeof value === "string") return value.length <= REQUEST_ID_CHARS_MAX;
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function refuse(id: RequestId | null, why: Denial): { readonly ok: false; readonly failure: FrameRefusal } {
  return { ok: false, failure: { id, denial: why } };
}
