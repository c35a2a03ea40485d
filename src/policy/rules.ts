import type { Machine } from "../analysis/machine.ts";
import { type AbsolutePath, parentOf, parseAbsolutePath } from "../core/absolute-path.ts";
import { LINKS_CHECKED_MAX } from "../core/limits.ts";
import type { Grant } from "./allow-entry.ts";
import { indexPaths, type PathIndex } from "./allowlist-index.ts";
import { type ArgMatcher, compileArgPattern, type RegexCompiler } from "./arg-pattern.ts";
import type { EffectivePolicy } from "./effective.ts";
import { isLiteral, literalPrefix } from "./glob.ts";

/** One agent's policy, ready to be asked. Compiled once for each version of the document; a decision only looks things up. */
export interface CompiledRules {
  readonly policy: EffectivePolicy;
  readonly paths: PathIndex<CompiledEntry>;
  /** Patterns without a slash, which match the invoked name. */
  readonly names: PathIndex<CompiledEntry>;
  /** The entries that are `*` alone. */
  readonly anything: readonly CompiledEntry[];
  /** Directories in patterns that are reached through links, and what they were when this was compiled. */
  readonly links: readonly (readonly [AbsolutePath, AbsolutePath])[];
}

export interface CompiledEntry {
  readonly entry: Grant;
  /** `null` when any arguments will do. */
  readonly args: ArgMatcher | null;
}

export function compileRules(policy: EffectivePolicy, machine: Machine, compileRegex: RegexCompiler): CompiledRules {
  const entries = policy.allowlist.map((entry) => ({
    entry,
    args: entry.argPattern === null ? null : compileArgPattern(entry.argPattern, compileRegex),
  }));
  const known = new Map<AbsolutePath, AbsolutePath | null>();
  const realDirectory = (path: AbsolutePath) => resolveDirectory(path, machine, known);
  const file = (item: CompiledEntry) => ({ pattern: absolutePattern(item.entry.pattern, machine.home, realDirectory), item });
  const paths = indexPaths(entries.filter(({ entry }) => isPathPattern(entry.pattern)).map(file));
  return {
    policy,
    paths,
    names: indexPaths(entries.filter(({ entry }) => isNamePattern(entry.pattern)).map((item) => ({ pattern: item.entry.pattern, item }))),
    anything: entries.filter(({ entry }) => entry.pattern === "*"),
    links: [...known].flatMap(([path, real]) => (real === null || real === path ? [] : [[path, real] as const])),
  };
}

/** A link in a pattern's directory may be moved by an upgrade (`/opt/tool/current`): then the pattern means another place. */
export function isStale(rules: CompiledRules, machine: Machine): boolean {
  return rules.links.slice(0, LINKS_CHECKED_MAX).some(([path, real]) => machine.realPath(path) !== real);
}

function isNamePattern(pattern: string): boolean {
  return !isPathPattern(pattern) && !isStarsAlone(pattern);
}

/** Whoever means everything writes `*`; more stars without a path match nothing, because nobody can say what was meant by them. */
export function isStarsAlone(pattern: string): boolean {
  return /^\*{2,}$/.test(pattern);
}

export function isPathPattern(pattern: string): boolean {
  return pattern.includes("/") || pattern.startsWith("~");
}

/** Expands the home directory and makes the literal directory in front canonical: `/bin/ls` means `/usr/bin/ls` where the one is the other. */
export function absolutePattern(pattern: string, home: AbsolutePath, realDirectory: (path: AbsolutePath) => AbsolutePath | null): string {
  const expanded = pattern === "~" || pattern.startsWith("~/") ? `${home}${pattern.slice(1)}` : pattern;
  const literal = isLiteral(expanded) ? expanded : literalPrefix(expanded);
  const slash = literal.lastIndexOf("/");
  const directory = parseAbsolutePath(slash <= 0 ? "/" : literal.slice(0, slash));
  if (slash < 0 || !directory.ok) return expanded;
  const real = realDirectory(directory.value);
  return real === null ? expanded : `${real === "/" ? "" : real}${expanded.slice(slash)}`;
}

/** Asks nothing about what lies below a directory that is not there, and nothing twice: a list of 100,000 shares few directories. */
function resolveDirectory(path: AbsolutePath, machine: Machine, known: Map<AbsolutePath, AbsolutePath | null>): AbsolutePath | null {
  const before = known.get(path);
  if (before !== undefined) return before;
  const isBelowNothing = path !== "/" && resolveDirectory(parentOf(path), machine, known) === null;
  const real = isBelowNothing ? null : machine.realPath(path);
  known.set(path, real);
  return real;
}
