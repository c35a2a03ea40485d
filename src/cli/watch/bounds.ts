/** `30m`, `2h`, `3x`, or both with a blank between them: for how long, or how often, something may run without being asked again. */

import { GRANT_USES_MAX } from "../../core/limits.ts";
import { spanText } from "../moments.ts";
import type { Bounds } from "./state.ts";

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
const EXPIRES_IN_MS_MAX = 366 * 86_400_000;

/** A sentence when it cannot be read. A bare number is refused: `3` could be minutes or uses, and the difference is large. */
export function parseBounds(text: string): Bounds | string {
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0 || words.length > 2) return "say for how long, such as 30m or 2h, or how often, such as 3x";
  let bounds: Bounds = {};
  for (const word of words) {
    const read = parseWord(word);
    if (typeof read === "string") return read;
    if (Object.keys(read).some((name) => name in bounds)) return "one time and one number of uses at most";
    bounds = { ...bounds, ...read };
  }
  return bounds;
}

function parseWord(word: string): Bounds | string {
  const uses = /^(\d{1,7})x$/i.exec(word)?.[1];
  if (uses !== undefined) {
    const count = Number(uses);
    return count < 1 || count > GRANT_USES_MAX ? `a number of uses from 1 to ${GRANT_USES_MAX}` : { uses: count };
  }
  const [, digits = "", unit = ""] = /^(\d{1,9})([smhd])$/i.exec(word) ?? [];
  const unitMs = UNITS_MS.get(unit.toLowerCase());
  if (unitMs === undefined) return "say for how long, such as 30m or 2h, or how often, such as 3x";
  const expiresInMs = Number(digits) * unitMs;
  return expiresInMs < 1 || expiresInMs > EXPIRES_IN_MS_MAX ? "a time of at most a year" : { expiresInMs };
}

/** As it completes "allowed …". */
export function boundsText({ expiresInMs, uses }: Bounds): string {
  const parts = [
    ...(expiresInMs === undefined ? [] : [`for ${spanText(expiresInMs)}`]),
    ...(uses === undefined ? [] : [`${uses} ${uses === 1 ? "time" : "times"}`]),
  ];
  return parts.length === 0 ? "for good" : parts.join(", ");
}
