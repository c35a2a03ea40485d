import type { ToolName } from "./tool-name.ts";

/** The entry of a list that speaks for a tool. */
export interface Entry {
  readonly written: string;
  readonly index: number;
}

/**
 * A list of names, groups, plugins and patterns, compiled. Looking a tool up does not grow with the list: names and groups are one map,
 * `web_*` and `*_send` are found by the lengths of their fixed parts, and only patterns with an inner star are tried one by one.
 */
export interface NameList {
  find(tool: ToolName): Entry | null;
  readonly length: number;
}

/** Each entry with the names that it stands for. */
export function compileNames(entries: readonly { readonly written: string; readonly names: readonly ToolName[] }[]): NameList {
  const exact = new Map<string, Entry>();
  const prefixes = new Map<string, Entry>();
  const suffixes = new Map<string, Entry>();
  const inner: { readonly matches: (tool: string) => boolean; readonly entry: Entry }[] = [];
  for (const [index, { written, names }] of entries.entries()) {
    const entry = { written, index };
    for (const name of names) {
      const stars = name.split("*").length - 1;
      if (stars === 0) keep(exact, name, entry);
      else if (stars === 1 && name.endsWith("*")) keep(prefixes, name.slice(0, -1), entry);
      else if (stars === 1 && name.startsWith("*")) keep(suffixes, name.slice(1), entry);
      else inner.push({ matches: starMatcher(name), entry });
    }
  }
  const prefixLengths = lengthsOf(prefixes);
  const suffixLengths = lengthsOf(suffixes);
  if (prefixes.size + suffixes.size + inner.length === 0) return { length: entries.length, find: (tool) => exact.get(tool) ?? null };
  return {
    length: entries.length,
    find(tool) {
      const named = exact.get(tool);
      if (named !== undefined) return named;
      for (const length of prefixLengths) {
        const found = length > tool.length ? undefined : prefixes.get(tool.slice(0, length));
        if (found !== undefined) return found;
      }
      for (const length of suffixLengths) {
        const found = length > tool.length ? undefined : suffixes.get(tool.slice(tool.length - length));
        if (found !== undefined) return found;
      }
      for (const { matches, entry } of inner) if (matches(tool)) return entry;
      return null;
    },
  };
}

/** The first entry that says a thing is the one to show. */
function keep(map: Map<string, Entry>, key: string, entry: Entry): void {
  if (!map.has(key)) map.set(key, entry);
}

function lengthsOf(map: ReadonlyMap<string, Entry>): readonly number[] {
  return [...new Set([...map.keys()].map(({ length }) => length))].sort((a, b) => a - b);
}

/** Each fixed part is taken at its first place after the one before it, so a name is walked once and nothing is tried twice. */
function starMatcher(pattern: string): (tool: string) => boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  const between = parts.slice(1, -1);
  return (tool) => {
    if (tool.length < first.length + last.length || !tool.startsWith(first) || !tool.endsWith(last)) return false;
    const end = tool.length - last.length;
    let at = first.length;
    for (const part of between) {
      const found = tool.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}
