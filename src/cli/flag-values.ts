/** Values that flags carry as text: numbers, spans of time, pairs. Nothing is rounded or guessed; what does not parse is said back. */
import { APPROVAL_TIMEOUT_MAX_MS, APPROVAL_TIMEOUT_MIN_MS } from "../core/limits.ts";
import { type CommandCall, UsageError } from "./command.ts";
import { spanText } from "./moments.ts";

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

export function wholeNumber(call: CommandCall, flag: string): number | undefined {
  const text = call.text(flag);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`\`--${flag}\` is a whole number, not \`${text}\``);
  return Number(text);
}

/** `500ms`, `30s`, `5m`, `2h`, `1d`; a bare number is seconds, as in timeout(1). */
export function durationMs(call: CommandCall, flag: string): number | undefined {
  const text = call.text(flag);
  if (text === undefined) return undefined;
  const [, digits, unit = "s"] = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text) ?? [];
  const unitMs = UNITS_MS.get(unit);
  if (digits === undefined || unitMs === undefined) {
    throw new UsageError(`\`--${flag}\` is a time such as 500ms, 30s, 5m, 2h or 1d, not \`${text}\``);
  }
  if (Number(digits) === 0) throw new UsageError(`\`--${flag}\` is longer than nothing; leave it out for the default`);
  return Number(digits) * unitMs;
}

/** How long a question stays open. Said here in the flag's own words; the daemon would answer with the name of a member of the wire. */
export function waitMs(call: CommandCall): number | undefined {
  const ms = durationMs(call, "wait-for");
  if (ms === undefined || (ms >= APPROVAL_TIMEOUT_MIN_MS && ms <= APPROVAL_TIMEOUT_MAX_MS)) return ms;
  throw new UsageError(`\`--wait-for\` is from ${spanText(APPROVAL_TIMEOUT_MIN_MS)} to ${spanText(APPROVAL_TIMEOUT_MAX_MS)}`);
}

/** `--env NAME=VALUE`; whether a name may be overridden is the daemon's to say. */
export function pairs(call: CommandCall, flag: string): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  for (const text of call.texts(flag)) {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`\`--${flag}\` is NAME=VALUE, not \`${text}\``);
    const name = text.slice(0, at);
    if (found.has(name)) throw new UsageError(`\`--${flag} ${name}=…\` is given twice; say it once`);
    found.set(name, text.slice(at + 1));
  }
  return Object.fromEntries(found);
}
