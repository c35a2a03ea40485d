import type { KnownTools } from "./known-tools.ts";

/**
 * Someone who lists two plugin tools in `allow` wants them added, and would be left without `read` and `exec`. Such a list, where every
 * entry is a known plugin or a known plugin's tool, is no filter. A list of names that nobody knows is another matter: it denies.
 */
export interface AllowlistReading {
  /** `null`: the list was stripped and filters nothing. */
  readonly allow: readonly string[] | null;
  readonly unknown: readonly string[];
  readonly stripped: boolean;
}

export function readAllowlist(allow: readonly string[], tools: KnownTools): AllowlistReading {
  const unknown = allow.filter((entry) => !tools.knows(entry));
  const stripped = allow.length > 0 && allow.every((entry) => tools.isOfPlugins(entry));
  return { allow: stripped ? null : allow, unknown, stripped };
}
