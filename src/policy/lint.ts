import type { Machine } from "../analysis/machine.ts";
import { type AbsolutePath, baseName, parseAbsolutePath } from "../core/absolute-path.ts";
import { ENTRY_UNUSED_DAYS_MAX } from "../core/limits.ts";
import type { AllowEntry } from "./allow-entry.ts";
import { isArgPattern, type RegexCompiler } from "./arg-pattern.ts";
import { breadthOf } from "./breadth.ts";
import { compileGlob, isLiteral, literalPrefix } from "./glob.ts";
import { isPathPattern, isStarsAlone } from "./rules.ts";

/** What a careful person would ask about an allowlist, for `allowlist lint` and `doctor`. */
export interface Finding {
  readonly source: string;
  readonly pattern: string;
  readonly kind: "anything" | "shell" | "interpreter" | "carrier" | "writable" | "never-matches" | "expired" | "unused";
  readonly message: string;
}

const DAY_MS = 24 * 3_600_000;

/** `compileRegex` is what the daemon would compile the entries' arguments with; see loadRegexCompiler. */
export function lintAllowlist(
  entries: readonly AllowEntry[],
  machine: Machine,
  nowMs: number,
  compileRegex: RegexCompiler,
): readonly Finding[] {
  return entries.flatMap((entry) => [
    ...breadth(entry),
    ...futility(entry, compileRegex),
    ...writable(entry, machine),
    ...age(entry, nowMs),
  ]);
}

function breadth(entry: AllowEntry): readonly Finding[] {
  const { pattern } = entry;
  if (entry.argPattern !== null || isStarsAlone(pattern)) return [];
  if (/^(?:\*|\/\*+|\*\*\/\*+|~\/\*+)$/.test(pattern))
    return [finding(entry, "anything", "covers any program there is; name the ones you mean")];
  const name = baseName(pattern);
  const broad = isLiteral(name) ? breadthOf(name) : reached(name);
  switch (broad) {
    case null:
      return [];
    case "shell":
      return [finding(entry, "shell", `covers a shell; list the scripts or commands instead, or add an argPattern`)];
    case "interpreter":
      return [finding(entry, "interpreter", `covers an interpreter with any script; list the scripts instead, or add an argPattern`)];
    case "carrier":
      return [finding(entry, "carrier", `covers a program that starts others; those are still asked about, so list them instead`)];
  }
}

const REACHED = "sh bash dash zsh python3 node perl ruby php lua awk find xargs make sudo env nice timeout ssh vim less busybox".split(" ");

/** A glob in the last place may reach what nobody would have written down. */
function reached(name: string): ReturnType<typeof breadthOf> {
  const glob = compileGlob(name);
  const probe = REACHED.find((candidate) => glob(candidate));
  return probe === undefined ? null : breadthOf(probe);
}

function futility(entry: AllowEntry, compileRegex: RegexCompiler): readonly Finding[] {
  const { pattern, argPattern } = entry;
  if (argPattern !== null && !isArgPattern(argPattern, compileRegex)) {
    return [finding(entry, "never-matches", "its argPattern is not a regular expression that RE2 knows; correct it")];
  }
  if (isStarsAlone(pattern)) return [finding(entry, "never-matches", "is neither a path nor a name; write `*` if you mean any program")];
  if (!isPathPattern(pattern)) return [];
  if (pattern.startsWith("~") && pattern !== "~" && !pattern.startsWith("~/")) {
    return [finding(entry, "never-matches", "only `~/` is understood; write the other home directory out")];
  }
  const rooted = pattern.startsWith("/") || pattern.startsWith("~") || pattern.startsWith("**");
  if (!rooted) return [finding(entry, "never-matches", "is neither absolute nor a bare name, so it matches nothing")];
  if (pattern.endsWith("/")) return [finding(entry, "never-matches", "names a directory; add `*` or `**`")];
  if (/(?:^|\/)\.{1,2}(?:\/|$)|\/\//.test(pattern))
    return [finding(entry, "never-matches", "is not a plain path; write it without `.`, `..` and `//`")];
  return [];
}

/** Where the child can write, an entry covers whatever the child puts there, unless it is tied to a digest. */
function writable(entry: AllowEntry, machine: Machine): readonly Finding[] {
  if (entry.sha256 !== null || !isPathPattern(entry.pattern)) return [];
  const place = literalPlace(entry.pattern, machine.home);
  if (place === null || machine.realPath(place) === null || !machine.childCanChange(place)) return [];
  return [finding(entry, "writable", `the commands themselves could change what lies at \`${place}\`; tie the entry to a sha256`)];
}

function literalPlace(pattern: string, home: AbsolutePath): AbsolutePath | null {
  const expanded = pattern.startsWith("~/") ? `${home}${pattern.slice(1)}` : pattern;
  const literal = isLiteral(expanded) ? expanded : literalPrefix(expanded).replace(/\/[^/]*$/, "");
  const parsed = parseAbsolutePath(literal === "" ? "/" : literal);
  return parsed.ok ? parsed.value : null;
}

function age(entry: AllowEntry, nowMs: number): readonly Finding[] {
  if (entry.expiresAt !== null && entry.expiresAt <= nowMs) return [finding(entry, "expired", "ran out; remove it")];
  if (entry.lastUsedAt === null) return [];
  const days = Math.floor((nowMs - entry.lastUsedAt) / DAY_MS);
  return days < ENTRY_UNUSED_DAYS_MAX ? [] : [finding(entry, "unused", `was last used ${days} days ago; remove it if nobody needs it`)];
}

function finding(entry: AllowEntry, kind: Finding["kind"], message: string): Finding {
  return { source: entry.source, pattern: entry.pattern, kind, message };
}
