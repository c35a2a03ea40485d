import type { Segment } from "../analysis/command-plan.ts";
import type { Machine, Program } from "../analysis/machine.ts";
import { type AbsolutePath, baseName, parentOf, parseAbsolutePath } from "../core/absolute-path.ts";
import type { Sha256 } from "../core/sha256.ts";
import type { Grant } from "./allow-entry.ts";
import type { CompiledEntry, CompiledRules } from "./rules.ts";

/** What matching may ask about the moment. */
export interface MatchContext {
  readonly machine: Machine;
  readonly trustedDirectories: ReadonlySet<string>;
  hashOf(path: AbsolutePath): Sha256 | null;
  /** How often an entry bounded by uses may still be used; `null` when nobody counted. */
  usesLeft(key: string): number | null;
  readonly now: number;
}

export interface EntryMatch {
  readonly entry: Grant;
  /** The executable or script that the entry was found to mean. */
  readonly path: AbsolutePath;
}

/** The entry that covers a segment: the first one without a bound, so that no counted use is spent where none is needed. */
export function matchAllowlist(segment: Segment, rules: CompiledRules, context: MatchContext): EntryMatch | null {
  if (segment.program === null || segment.never !== null) return null;
  const covering = candidates(segment, segment.program, rules, context).filter(({ item, path }) => covers(item, path, segment, context));
  const chosen = covering.find(({ item }) => item.entry.usesLeft === null) ?? covering[0];
  return chosen === undefined ? null : { entry: chosen.item.entry, path: chosen.path };
}

/** Whether nobody but root, or the operator by trusting its directory, has a say in which file this is and what it holds. */
export function isSettled(program: Program, context: Pick<MatchContext, "machine" | "trustedDirectories">): boolean {
  if (!program.linksAreRoots) return false;
  return context.trustedDirectories.has(parentOf(program.realPath)) || !context.machine.childCanChange(program.realPath);
}

/** The configured directories, and what they really are: `/bin` is often a link to `/usr/bin`. */
export function trustedDirectories(configured: readonly string[], machine: Machine): ReadonlySet<string> {
  const trusted = new Set<string>();
  for (const text of configured) {
    const path = parseAbsolutePath(text.length > 1 && text.endsWith("/") ? text.slice(0, -1) : text);
    if (!path.ok) continue;
    trusted.add(path.value);
    const real = machine.realPath(path.value);
    if (real !== null) trusted.add(real);
  }
  return trusted;
}

interface Candidate {
  readonly item: CompiledEntry;
  readonly path: AbsolutePath;
}

function candidates(segment: Segment, program: Program, rules: CompiledRules, context: MatchContext): readonly Candidate[] {
  const found: Candidate[] = [];
  const add = (items: readonly CompiledEntry[], path: AbsolutePath): void => {
    for (const item of items) found.push({ item, path });
  };
  // A busybox called as `ls` is not what an entry for busybox means, and what an entry for `ls` means only if the link cannot be moved.
  if (sameName(baseName(program.word), baseName(program.realPath))) add(rules.paths.matching(program.realPath), program.realPath);
  if (program.linksAreRoots && program.linkPath !== program.realPath) add(rules.paths.matching(program.linkPath), program.realPath);
  // The script is what was listed, the interpreter was not: it must be one that the child cannot have put there.
  if (segment.script?.plain === true && isSettled(program, context)) {
    add(rules.paths.matching(segment.script.path), segment.script.path);
  }
  if (!program.word.includes("/") && isSettled(program, context)) add(rules.names.matching(program.word), program.realPath);
  add(rules.anything, program.realPath);
  return found;
}

function covers({ entry, args }: CompiledEntry, path: AbsolutePath, segment: Segment, context: MatchContext): boolean {
  if (entry.expiresAt !== null && entry.expiresAt <= context.now) return false;
  if (entry.usesLeft !== null && (context.usesLeft(entry.key) ?? entry.usesLeft) <= 0) return false;
  // Trusting a program is not trusting whatever it is made to start: that takes an entry which names the arguments, or the script.
  if (segment.carries !== null && args === null && path !== segment.script?.path) return false;
  if (args !== null && !args(segment.argv, segment.cwd)) return false;
  return entry.sha256 === null || context.hashOf(path) === entry.sha256;
}

/** `python3` is `python3.11`, and `ls` is not `busybox`. */
export function sameName(invoked: string, real: string): boolean {
  return invoked === real || withoutVersion(invoked) === withoutVersion(real);
}

function withoutVersion(name: string): string {
  return name.replace(/(?<=[^\d.-])[-.]?\d+(?:\.\d+)*$/, "");
}
