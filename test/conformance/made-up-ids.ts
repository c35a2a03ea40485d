import type { ApprovalId } from "../../src/core/ids.ts";
import { toId } from "./ledger-clerk.ts";

/**
 * The vectors name approvals `a`, `abc-111` or `ABC-123-DEF`, and look them up by any beginning. Ours are UUIDs that the daemon makes, in
 * lower case, looked up by at least eight characters. This gives each name an id so that one text begins another exactly where it did in
 * the vector: every step from one name that occurs to a longer one becomes one digit, after eight that all of them share.
 */
export class MadeUpIds {
  readonly #ends: readonly string[];
  readonly #names = new Map<ApprovalId, string>();

  constructor(names: readonly string[], inputs: readonly string[]) {
    const words = [...names, ...inputs].map((word) => word.toLowerCase()).filter((word) => word.trim() !== "");
    this.#ends = [...new Set(words.flatMap((word) => [word, ...words.map((other) => sharedBeginning(word, other))]))].sort();
    for (const name of names) if (name.trim() !== "") this.#names.set(this.of(name), name);
  }

  of(name: string): ApprovalId {
    return toId(this.#digits(name).padEnd(32, "0"));
  }

  /** A whole name is a whole id; the beginning of one stays a beginning; anything else is looked up as it stands. */
  lookup(input: string): string {
    if ([...this.#names.values()].includes(input)) return this.of(input);
    if (input.trim() === "") return input;
    const digits = this.#digits(input);
    const hyphens = [8, 12, 16, 20].filter((at) => at < digits.length).length;
    return this.of(input).slice(0, digits.length + hyphens);
  }

  nameOf(id: string): string {
    return [...this.#names].find(([each]) => each === id)?.[1] ?? id;
  }

  #digits(word: string): string {
    const whole = word.toLowerCase();
    let digits = "00000000";
    let at = "";
    while (at !== whole) {
      const from = at;
      const steps = this.#ends.filter((end) => end.length > from.length && end.startsWith(from) && isNext(from, end, this.#ends));
      const step = steps.findIndex((end) => whole.startsWith(end));
      const next = steps[step];
      if (next === undefined || step > 14) throw new Error(`no id can be made up for ${word}`);
      // The places of version and variant say nothing.
      while (digits.length === 12 || digits.length === 16) digits += "0";
      digits += (step + 1).toString(16);
      at = next;
    }
    return digits;
  }
}

function isNext(from: string, end: string, ends: readonly string[]): boolean {
  return !ends.some((other) => other.length > from.length && other.length < end.length && end.startsWith(other) && other.startsWith(from));
}

function sharedBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}
