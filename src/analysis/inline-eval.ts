import type { Argv } from "../core/argv.ts";
import { interpreterUse } from "./interpreter-use.ts";
import { interpreterNamed } from "./interpreters.ts";
import { type OptionSpec, readAllOptions, readOptions } from "./options.ts";
import { programName } from "./program-name.ts";
import { isShellName } from "./shells.ts";

/**
 * The informal name of code or of a command that stands on the command line itself: `python3 -c`, `awk inline program`, `find -exec`.
 * `null` when there is none. A shell's `-c` is not among them: its text is looked through.
 */
export function inlineEvalOf(argv: Argv): string | null {
  const name = programName(argv[0]);
  if (FIND.has(name))
    return found(
      name,
      argv.slice(1).find((word) => FIND_ACTIONS.has(word)),
    );
  if (XARGS.has(name)) return readOptions(argv, XARGS_OPTIONS).operands < argv.length ? `${name} inline command` : null;
  // make(1) permutes: an option counts wherever it stands.
  if (MAKE.has(name)) return found(name, readAllOptions(argv, MAKE_OPTIONS).options.find((option) => MAKE_INPUTS.has(option.name))?.name);
  const use = interpreterUse(argv);
  return use?.code ? found(name, use.code.flag) : null;
}

function found(name: string, flag: string | undefined): string | null {
  return flag === undefined ? null : `${name} ${flag}`;
}

const FIND = new Set(["find", "gfind", "bfs"]);
const FIND_ACTIONS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

const XARGS = new Set(["xargs", "gxargs"]);
const XARGS_OPTIONS: OptionSpec = {
  valued: "aEILnPsdJRS",
  glued: "eil",
  longValued: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
  abbreviates: true,
};

const MAKE = new Set(["make", "gmake", "bmake", "pmake", "remake"]);
/** make(1): these take a value, so the rest of their cluster is no option. `j` and `l` take one only when it is glued. */
export const MAKE_OPTIONS: OptionSpec = {
  valued: "CfIoWE",
  glued: "jlO",
  longValued: ["file", "makefile", "directory", "include-dir", "old-file", "assume-old", "new-file", "what-if", "assume-new", "eval"],
  abbreviates: true,
};
const MAKE_INPUTS = new Set(["-f", "-E", "--file", "--makefile", "--eval"]);

/** Programs that start or contain others by what they are told, without being interpreters in the narrow sense. */
const LIKE = new Set([...FIND, ...XARGS, ...MAKE, "java", "npx", "bunx", "pnpx"]);

/** Whether an allowlist entry for this name or pattern would be an entry for any program at all. */
export function isInterpreterLike(pattern: string): boolean {
  const name = programName(pattern);
  return [name, name.replace(/[*?]+$/, "")].some((bare) => interpreterNamed(bare) !== null || LIKE.has(bare) || isShellName(bare));
}
