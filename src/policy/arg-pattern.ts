import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import { type Sha256, sha256Of } from "../core/sha256.ts";
import type { Grant } from "./allow-entry.ts";

/** An entry may be narrowed to certain arguments: to one exact command in one directory, or by a regular expression. */
export type ArgMatcher = (argv: Argv, cwd: AbsolutePath) => boolean;

/** Compiles a regular expression to a test of the whole text; `null` when it is none. */
export type RegexCompiler = (source: string) => ((text: string) => boolean) | null;

const EXACT = "sha256:cwd-argv:v1:";

/** A program may have hundreds of entries for one exact command each: its arguments are hashed once for all of them. */
const HASHED = new WeakMap<Argv, { readonly cwd: AbsolutePath; readonly pattern: string }>();

/** The `argPattern` that holds for exactly these arguments in this directory. */
export function exactArgPattern(argv: Argv, cwd: AbsolutePath): string {
  const known = HASHED.get(argv);
  if (known?.cwd === cwd) return known.pattern;
  const pattern = `${EXACT}${argsDigest(argv, cwd)}`;
  HASHED.set(argv, { cwd, pattern });
  return pattern;
}

export function compileArgPattern(argPattern: string, compileRegex: RegexCompiler): ArgMatcher {
  if (argPattern.startsWith(EXACT)) return (argv, cwd) => exactArgPattern(argv, cwd) === argPattern;
  // The whole text must match. A search would let `status` cover `-c core.pager=… status`, which the entry does not name.
  const test = compileRegex(argPattern);
  return test === null ? () => false : (argv) => test(argv.slice(1).join(" "));
}

/** Whether it could match anything at all. */
export function isArgPattern(argPattern: string, compileRegex: RegexCompiler): boolean {
  return argPattern.startsWith(EXACT) || compileRegex(argPattern) !== null;
}

/**
 * re2js costs several milliseconds to load and most lists have no regular expression, so it is loaded only for those that do. Without it
 * such an entry matches nothing.
 */
export async function loadRegexCompiler(entries: Iterable<Grant>): Promise<RegexCompiler> {
  for (const entry of entries) {
    if (entry.argPattern !== null && !entry.argPattern.startsWith(EXACT)) return (await import("./arg-regex.ts")).compileRegex;
  }
  return noRegex;
}

export function noRegex(): null {
  return null;
}

/** Lengths before contents: no argument can run into the next, and none can pass for two. */
function argsDigest(argv: Argv, cwd: AbsolutePath): Sha256 {
  const args = argv.slice(1);
  return sha256Of([...counted(cwd), `${args.length}\0`, ...args.flatMap(counted)].join(""));
}

function counted(text: string): readonly string[] {
  return [`${Buffer.byteLength(text, "utf8")}\0`, `${text}\0`];
}
