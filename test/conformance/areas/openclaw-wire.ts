import { isOpenclawMac, openclawMac } from "../../../src/auth/openclaw-mac.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { parseStrictJson } from "../../../src/core/strict-json.ts";
import type { Area, Row } from "../area.ts";
import { numberOf, textOf } from "../reading.ts";

/** `openclaw-wire.json`: the MAC byte for byte, and frames that a real client sent, which must pass the reader that the socket has. */
export const area: Area = {
  name: "openclaw-wire",
  rows: (file) => [...named("mac", file["mac"]), ...named("frame", file["frames"])],
  check: ({ id, whole }) => (id.startsWith("mac") ? checkMac(whole) : checkFrame(whole)),
};

/** One vector, a list of them, or a table of them by name. */
function named(kind: string, value: JsonValue | undefined): readonly Row[] {
  if (!isJsonObject(value) && !Array.isArray(value)) return [];
  const single = isJsonObject(value) && (typeof value["hmac"] === "string" || typeof value["type"] === "string");
  const entries: readonly (readonly [string, unknown])[] = single ? [["only", value]] : Object.entries(value);
  return entries.map(([name, whole]) => ({ id: `${kind}-${name}`, given: {}, expect: {}, whole: isJsonObject(whole) ? whole : {} }));
}

function checkMac(vector: JsonObject): string | null {
  const token = textOf(vector["token"]);
  const signed = { nonce: textOf(vector["nonce"]), ts: numberOf(vector["ts"]), requestJson: textOf(vector["requestJson"]) };
  const hmac = textOf(vector["hmac"]);
  if (openclawMac(token, signed) !== hmac) return `gave ${openclawMac(token, signed)}`;
  return isOpenclawMac(token, signed, hmac) ? null : "made the MAC and did not accept it";
}

function checkFrame(frame: JsonObject): string | null {
  const read = parseStrictJson(JSON.stringify(frame));
  if (!read.ok) return `refused: ${read.failure.message}`;
  if (!isJsonObject(read.value) || typeof read.value["type"] !== "string" || "jsonrpc" in read.value) return "is not of this dialect";
  return null;
}
