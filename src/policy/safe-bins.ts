import type { Program } from "../analysis/machine.ts";
import { programName, withoutVersion } from "../analysis/program-name.ts";
import { baseName, parentOf } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import { breadthOf } from "./breadth.ts";
import type { ExecSettings, SafeBinProfile } from "./exec-settings.ts";
import { readsMoreThanItsInput } from "./jq-program.ts";
import { ARITY, BUILT_IN_PROFILES, type FilterProfile, NEVER_SAFE } from "./safe-bin-profiles.ts";

/** Says why a command is not a safe bin, in words; `null` when it is one. Whatever is not understood is not safe. */
export function objectionToSafeBin(
  argv: Argv,
  program: Program | null,
  settings: Pick<ExecSettings, "safeBins" | "safeBinProfiles">,
  trusted: ReadonlySet<string>,
): string | null {
  const name = baseName(argv[0]);
  if (!settings.safeBins.some((safe) => profileName(safe) === name)) return "it is not a safe bin";
  if (isNeverSafe(name)) return "it runs what it is told, so it can never be a safe bin";
  const profile = profileFor(name, settings.safeBinProfiles);
  if (profile === null) return "it is listed as a safe bin but has no profile";
  if (program === null) return "it does not resolve";
  if (!trusted.has(parentOf(program.realPath))) return `\`${program.realPath}\` is not in a trusted directory`;
  if (!isNamedAlike(name, program)) return `\`${name}\` is really \`${program.realPath}\``;
  return objectionToArguments(name, argv.slice(1), profile);
}

export function isNeverSafe(name: string): boolean {
  const plain = programName(name);
  return breadthOf(plain) !== null || NEVER_SAFE.has(plain) || NEVER_SAFE.has(withoutVersion(plain));
}

/** A multiplexer in a trusted directory is fine under its applet's name as long as root alone can move the link. */
function isNamedAlike(name: string, program: Program): boolean {
  return baseName(program.realPath) === name || (program.linksAreRoots && baseName(program.linkPath) === name);
}

function profileFor(name: string, configured: Readonly<Record<string, SafeBinProfile>>): FilterProfile | null {
  const own = Object.entries(configured).find(([key]) => profileName(key) === name)?.[1];
  if (own === undefined) return BUILT_IN_PROFILES.get(name) ?? null;
  const minPositional = own.minPositional ?? 0;
  return {
    minPositional,
    // Without a word about operands there are none: an operand is usually a file.
    maxPositional: Math.max(minPositional, own.maxPositional ?? 0),
    switches: [],
    valued: own.allowedValueFlags ?? [],
    optional: [],
    denied: own.deniedFlags ?? [],
    // A configured table is not complete, so what an abbreviation means cannot be told from it.
    abbreviates: false,
  };
}

function profileName(text: string): string {
  return text.trim().toLowerCase();
}

function objectionToArguments(name: string, args: readonly string[], profile: FilterProfile): string | null {
  const unsafe = args.find(isPathOrGlob);
  if (unsafe !== undefined) return `\`${unsafe}\` looks like a path or a pattern of paths`;
  const read = readArguments(name, args, profile);
  if (typeof read === "string") return read;
  if (read.length < profile.minPositional) return `it needs at least ${profile.minPositional} operands`;
  if (read.length > profile.maxPositional)
    return `\`${read[profile.maxPositional] ?? ""}\` is an operand, and a safe bin reads standard input alone`;
  if (name === "jq" && read.some(readsMoreThanItsInput)) return "the jq program reads more than its input";
  return null;
}

/** The operands, `-` aside, or what is wrong with an option. */
function readArguments(name: string, args: readonly string[], profile: FilterProfile): readonly string[] | string {
  const operands: string[] = [];
  let at = 0;
  while (at < args.length) {
    const word = args[at] ?? "";
    at += 1;
    if (word === "--") {
      const rest = args.slice(at);
      const long = rest.find((operand) => operand.startsWith("--"));
      return long === undefined ? [...operands, ...rest.filter(isOperand)] : `\`${long}\` is not a known option`;
    }
    if (!word.startsWith("-") || word === "-") {
      if (isOperand(word)) operands.push(word);
      continue;
    }
    const option = word.startsWith("--") ? readLong(word, profile) : readCluster(word, profile);
    if (typeof option === "string") return option;
    const wanted = option.flag === null ? 0 : (ARITY[name]?.[option.flag] ?? 1) - (option.glued === null ? 0 : 1);
    const values = args.slice(at, at + wanted);
    if (values.length < wanted) return `\`${word}\` needs a value`;
    at += wanted;
  }
  return operands;
}

interface Option {
  /** The option that takes a value, if there is one. */
  readonly flag: string | null;
  readonly glued: string | null;
}

function readLong(word: string, profile: FilterProfile): Option | string {
  const equals = word.indexOf("=");
  const written = equals < 0 ? word : word.slice(0, equals);
  const glued = equals < 0 ? null : word.slice(equals + 1);
  const known = [...profile.switches, ...profile.valued, ...profile.optional, ...profile.denied];
  const meant = known.includes(written) ? [written] : profile.abbreviates ? known.filter((flag) => flag.startsWith(written)) : [];
  const [flag, ...others] = meant;
  if (flag === undefined) return `\`${written}\` is not a known option`;
  if (others.length > 0) return `\`${written}\` could be ${meant.map((each) => `\`${each}\``).join(" or ")}`;
  if (profile.denied.includes(flag)) return `\`${flag}\` is not allowed for a safe bin`;
  if (profile.valued.includes(flag)) return { flag, glued };
  if (profile.optional.includes(flag)) return { flag: null, glued: null };
  return glued === null ? { flag: null, glued: null } : `\`${flag}\` takes no value`;
}

/** `-nrk2`: letters one by one, until one takes the rest as its value. */
function readCluster(word: string, profile: FilterProfile): Option | string {
  for (let at = 1; at < word.length; at += 1) {
    const flag = `-${word[at] ?? ""}`;
    if (profile.denied.includes(flag)) return `\`${flag}\` is not allowed for a safe bin`;
    if (profile.valued.includes(flag)) return { flag, glued: at + 1 < word.length ? word.slice(at + 1) : null };
    if (!profile.switches.includes(flag)) return `\`${flag}\` is not a known option`;
  }
  return { flag: null, glued: null };
}

/** `-` is standard input. An empty word counts: to jq it is a program, and the word behind it then a file. */
function isOperand(word: string): boolean {
  return word !== "-";
}

/** Looks at option values too, glued or not: `-n/etc/passwd`, `--lines=~/x`. Nothing expands these words, but a filter has no use for them. */
function isPathOrGlob(word: string): boolean {
  const values = [word, word.replace(/^--?[A-Za-z0-9-]+=/, ""), word.replace(/^-[A-Za-z]/, "")];
  return values.some((value) => /^(?:[/~]|\.\.?\/|[A-Za-z]:[\\/]|file:)/.test(value) || /[*?[\]`]|\$[{(]/.test(value));
}
