import type { CommandPlan, Segment } from "../analysis/command-plan.ts";
import type { Machine, Program } from "../analysis/machine.ts";
import { type AbsolutePath, baseName } from "../core/absolute-path.ts";
import type { Sha256 } from "../core/sha256.ts";
import type { NewEntry } from "./allow-entry.ts";
import { exactArgPattern } from "./arg-pattern.ts";
import { breadthOf } from "./breadth.ts";
import { isLiteral } from "./glob.ts";
import { sameName } from "./match.ts";

/** What "always" would store for a command. Too little costs another question; too much is a hole that nobody remembers making. */
export interface DerivedGrants {
  readonly entries: readonly NewEntry[];
  /** Why nothing is stored: the approval then holds once. */
  readonly none: string | null;
  /** Why parts of a chain were left out. */
  readonly skipped: readonly string[];
}

export interface DeriveOptions {
  readonly scope: "executable" | "command";
  hashOf(path: AbsolutePath): Sha256 | null;
}

export function derivePatterns(plan: CommandPlan, machine: Machine, options: DeriveOptions): DerivedGrants {
  const { analysis, unbound, startup } = plan;
  if (!analysis.ok) return nothing(`text that is not analysed holds once: ${analysis.refusal.message}`);
  const loaded = unbound.find((each) => !startup.includes(each));
  if (loaded !== undefined) return nothing(`what it loads is not covered, so it holds once: ${loaded}`);
  const entries = new Map<string, NewEntry>();
  const skipped: string[] = [];
  for (const segment of analysis.segments) {
    const derived = entryFor(segment, machine, options);
    if (typeof derived === "string") skipped.push(derived);
    else entries.set(`${derived.pattern}\0${derived.argPattern ?? ""}`, derived);
  }
  if (entries.size === 0) return nothing(skipped[0] ?? "there is no program in it to remember");
  return { entries: [...entries.values()], none: null, skipped };
}

/** The entry for one segment, or why there is none. */
function entryFor(segment: Segment, machine: Machine, options: DeriveOptions): NewEntry | string {
  const { program, argv } = segment;
  const name = argv[0];
  if (!segment.storable || program === null) return `\`${name}\` cannot be remembered: ${segment.never ?? "it does not resolve"}`;
  if (segment.inlineEval !== null) return `${segment.inlineEval} is new code each time`;
  if (segment.script !== null && !segment.script.plain) return `\`${name}\` has options of its own before the script`;
  // What is kept of `bash script.sh` is the script; any other carried thing is not what an entry for the program would say.
  if (segment.carries !== null && segment.script === null) return `\`${name}\` cannot be remembered: ${segment.carries}`;
  const broad = segment.script === null ? (breadthOf(program.word) ?? breadthOf(program.realPath)) : null;
  if (broad !== null && options.scope !== "command")
    return `\`${name}\` (${broad}) cannot be remembered: it would cover anything it is told`;
  const stored = segment.script === null ? executablePattern(program) : { pattern: segment.script.path, path: segment.script.path };
  if (stored === null) return `\`${name}\` is reached through a link that can be moved`;
  return bounded(stored, segment, machine, options);
}

interface Stored {
  readonly pattern: AbsolutePath;
  /** The file whose bytes count. */
  readonly path: AbsolutePath;
}

/** The entry that would cover a segment which nothing covers, for a person to add; `null` where only an approval helps. */
export function suggestedEntry(segment: Segment, machine: Machine, hashOf: DeriveOptions["hashOf"]): NewEntry | null {
  if (segment.never !== null || segment.program === null) return null;
  const script = segment.script?.plain === true ? segment.script.path : null;
  const stored = script === null ? executablePattern(segment.program) : { pattern: script, path: script };
  if (stored === null || !isLiteral(stored.pattern)) return null;
  // A carrying form is covered by an entry that names its arguments, and so is a program that runs what it is told.
  const named = script === null && (segment.carries !== null || breadthOf(stored.path) !== null);
  const sha256 = machine.childCanChange(stored.path) ? hashOf(stored.path) : null;
  return {
    pattern: stored.pattern,
    ...(named ? { argPattern: segment.argv.slice(1).map(literalRegex).join(" ") } : {}),
    ...(sha256 === null ? {} : { sha256 }),
  };
}

function literalRegex(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** `null` when a link leads there that an entry could not rest on. */
function executablePattern(program: Program): Stored | null {
  const { word, linkPath, realPath, linksAreRoots } = program;
  const invoked = baseName(word);
  if (invoked === baseName(realPath)) return { pattern: realPath, path: realPath };
  if (linksAreRoots) return { pattern: linkPath, path: realPath };
  return sameName(invoked, baseName(realPath)) ? { pattern: realPath, path: realPath } : null;
}

function bounded({ pattern, path }: Stored, segment: Segment, machine: Machine, options: DeriveOptions): NewEntry | string {
  // A file may be called `a*b`; as a pattern that would cover its neighbours.
  if (!isLiteral(pattern) || pattern.trim() !== pattern) return `\`${pattern}\` would be read as a pattern`;
  if (machine.inWorldWritableDirectory(path)) return `\`${path}\` lies in a directory that anyone can write to`;
  const argPattern = options.scope === "command" ? { argPattern: exactArgPattern(segment.argv, segment.cwd) } : {};
  if (!machine.childCanChange(path)) return { pattern, ...argPattern };
  const sha256 = options.hashOf(path);
  return sha256 === null ? `\`${path}\` could be rewritten, and was not hashed` : { pattern, ...argPattern, sha256 };
}

function nothing(none: string): DerivedGrants {
  return { entries: [], none, skipped: [] };
}
