import { netstrings } from "./netstring.ts";
import { sha256Of } from "./sha256.ts";

/** Names to values, in ascending byte order of the names. */
export type Environment = ReadonlyMap<string, string>;

export function toEnvironment(entries: Iterable<readonly [string, string]>): Environment {
  // Byte order, not locale order and not UTF-16 order: two machines must derive the same digest from the same environment.
  return new Map([...entries].sort(([a], [b]) => Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"))));
}

/** `sha256:` and hex over the netstrings of every name and value. */
export function envHashOf(environment: Environment): string {
  return `sha256:${sha256Of(netstrings([...environment].flat()))}`;
}

export function isEnvName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}
