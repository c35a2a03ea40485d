import { netstrings } from "./netstring.ts";
import { sha256Of } from "./sha256.ts";

/** Names to values, in ascending byte order of the names. */
export type Environment = ReadonlyMap<string, string>;

export function toEnvironment(entries: Iterable<readonly [string, string]>): Environment {
  return new Map([...entries].sort(([a], [b]) => byBytes(a, b)));
}

/** Byte order, not locale order and not UTF-16 order: two machines must derive the same digest from the same environment. */
function byBytes(a: string, b: string): number {
  // Below U+D800 the order of code units is the order of bytes, and names are almost always ASCII.
  if (!BEYOND.test(a) && !BEYOND.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}

const BEYOND = /[\ud800-\uffff]/;

/** Asked for when a command is prepared and again when it is verified. */
const known = new WeakMap<Environment, string>();

/** `sha256:` and hex over the netstrings of every name and value. */
export function envHashOf(environment: Environment): string {
  const hash = known.get(environment) ?? `sha256:${sha256Of(netstrings([...environment].flat()))}`;
  known.set(environment, hash);
  return hash;
}

export function isEnvName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}
