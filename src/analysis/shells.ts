import { type Argv, toArgv } from "../core/argv.ts";
import { programName, spellings } from "./program-name.ts";
import { quoted } from "./quoted.ts";

/** Shells: what one is asked to do, and whether that can be done as well without starting it. */

/** Shells whose text our grammar reads. */
const READABLE = new Set("sh bash dash zsh ksh ksh93 ash fish mksh lksh pdksh oksh".split(" "));
/** Shells that speak something else. They carry whatever they are given, and nobody looks inside. */
const FOREIGN = new Set(
  "rbash rksh rzsh cmd powershell pwsh powershell_ise csh tcsh nu elvish xonsh rc es yash posh oil osh ysh murex ion".split(" "),
);

export function isShellName(name: string): boolean {
  return shellNamed(name) !== null || isForeignShell(name);
}

export function isForeignShell(name: string): boolean {
  return spellings(name).some((each) => FOREIGN.has(each));
}

/** `zsh` for `zsh-5.9` and `zsh-static`; `null` when the name is no shell's whose text we read. */
function shellNamed(name: string): string | null {
  return spellings(name).find((each) => READABLE.has(each)) ?? null;
}

export type ShellUse =
  | {
      readonly kind: "text";
      readonly text: string;
      /** Where the text stands in argv. */
      readonly at: number;
      /** `$0`, `$1` and so on. */
      readonly positional: readonly string[];
      readonly how: ShellOptions;
    }
  | { readonly kind: "script"; readonly at: number; readonly how: ShellOptions }
  | { readonly kind: "stdin"; readonly how: ShellOptions };

export interface ShellOptions {
  /** The option that makes the shell read start-up files first. */
  readonly startup: string | null;
  /** The option that keeps a shell from reading those that it would read unasked. */
  readonly withoutStartup: boolean;
  /** An option that changes what the text or script does, or that we do not know. */
  readonly odd: string | null;
  /** `-e`: a failing command ends the text. */
  readonly errexit: boolean;
  readonly pipefail: boolean;
  /** No options at all. */
  readonly plain: boolean;
}

/** `null` when argv[0] is no shell that we read. */
export function shellUse(argv: Argv): ShellUse | null {
  const shell = shellNamed(programName(argv[0]));
  if (shell === null) return null;
  const read = readShellOptions(argv, shell);
  const { startup, withoutStartup, odd, errexit, pipefail, plain } = read;
  const how: ShellOptions = { startup, withoutStartup, odd, errexit, pipefail, plain };
  const textAt = (text: string, at: number, positional: readonly string[]): ShellUse => {
    const oddity = shell === "fish" && !isOneText(argv, at) ? argv.slice(1).join(" ") : null;
    return { kind: "text", text, at, positional, how: { ...how, odd: odd ?? oddity } };
  };
  if (read.glued !== null) return textAt(read.glued.text, read.glued.at, argv.slice(read.next));
  const operand = argv[read.next];
  if (read.takesText) {
    if (operand === undefined) return { kind: "stdin", how: { ...how, odd: how.odd ?? "-c" } };
    return textAt(operand, read.next, argv.slice(read.next + 1));
  }
  return operand === undefined || read.fromStdin ? { kind: "stdin", how } : { kind: "script", at: read.next, how };
}

/** zsh(1) STARTUP FILES: `.zshenv` is read by every zsh; fish(1): `config.fish` by every fish. What sh and bash read only an option asks for. */
const READS_STARTUP_UNASKED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["zsh", new Set(["-f", "--no-rcs"])],
  ["fish", new Set(["-N", "--no-config"])],
]);

/** What a shell reads before anything it is given, in words; `null` when that is nothing. */
export function startupFiles(name: string, how: ShellOptions): string | null {
  if (how.startup !== null) return `the start-up files that ${quoted(`${name} ${how.startup}`)} reads`;
  return READS_STARTUP_UNASKED.has(name) && !how.withoutStartup ? `the start-up files that ${quoted(name)} reads` : null;
}

/**
 * Options that change nothing about the texts we read: no variables, no patterns, no redirections, no history, no prompt. Not among them:
 * `-k` takes `A=1` for an assignment wherever it stands, `-P` moves `cd` along links, `-v` and `-x` print what the daemon would not.
 */
const HARMLESS = "abefhmpuBCET";
/** Switching these off leaves a shell as it starts. */
const OFF_ANYWAY = "kvxHP";
/** Other shells give some of these letters to other options: zshoptions(1), fish(1). */
const HARMLESS_OF_SHELL: ReadonlyMap<string, string> = new Map([
  ["zsh", "efu"],
  ["fish", "NP"],
]);
const HARMLESS_NAMES = new Set(
  "allexport braceexpand emacs errexit hashall ignoreeof interactive-comments nounset noclobber noglob notify pipefail posix vi".split(" "),
);
const HARMLESS_LONG = new Set("--norc --noprofile --posix --noediting --no-config --no-rcs --private".split(" "));
const STARTUP_LONG = new Set("--login --rcfile --init-file --interactive --init-command".split(" "));

interface Reading {
  next: number;
  takesText: boolean;
  fromStdin: boolean;
  glued: { readonly text: string; readonly at: number } | null;
  startup: string | null;
  withoutStartup: boolean;
  odd: string | null;
  errexit: boolean;
  pipefail: boolean;
  plain: boolean;
}

function readShellOptions(argv: Argv, shell: string): Reading {
  const reading: Reading = {
    next: 1,
    takesText: false,
    fromStdin: false,
    glued: null,
    startup: null,
    withoutStartup: false,
    odd: null,
    errexit: false,
    pipefail: false,
    plain: true,
  };
  while (reading.next < argv.length) {
    const word = argv[reading.next] ?? "";
    if (word === "--" || word === "-") {
      reading.next += 1;
      break;
    }
    if (!/^[-+]./.test(word)) break;
    reading.plain = false;
    reading.next += 1;
    if (isWithoutStartup(shell, word)) reading.withoutStartup = true;
    if (word.startsWith("--")) readLongOption(argv, word, shell, reading);
    else readShellCluster(argv, word, shell, reading);
  }
  return reading;
}

/** fish(1): `-c` takes the very next word and may be given again, where other shells take the first operand, and once. */
function isOneText(argv: Argv, at: number): boolean {
  const isLast = at === argv.length - 1;
  return isLast && (/^-[NP]*c$|^--command$/.test(argv[at - 1] ?? "") || (argv[at] ?? "").startsWith("--command="));
}

function isWithoutStartup(shell: string, word: string): boolean {
  const options = READS_STARTUP_UNASKED.get(shell);
  if (options === undefined) return false;
  if (word.startsWith("--")) return options.has(word);
  return (
    word.startsWith("-") &&
    word
      .slice(1)
      .split("")
      .some((letter) => options.has(`-${letter}`))
  );
}

function readLongOption(argv: Argv, word: string, shell: string, reading: Reading): void {
  const [name = ""] = word.split("=", 1);
  if (name === "--command") {
    // fish alone has it; another shell stops there, and what it was meant to run is still to be shown.
    if (shell !== "fish") reading.odd ??= word;
    const at = word.includes("=") ? reading.next - 1 : reading.next;
    const text = word.includes("=") ? word.slice(name.length + 1) : argv[at];
    if (text !== undefined) reading.glued = { text, at };
    reading.next = at + 1;
  } else if (STARTUP_LONG.has(name)) {
    reading.startup ??= name;
    if (!word.includes("=") && name !== "--login" && name !== "--interactive") reading.next += 1;
  } else if (!HARMLESS_LONG.has(word)) {
    reading.odd ??= word;
  }
}

function readShellCluster(argv: Argv, word: string, shell: string, reading: Reading): void {
  const on = word.startsWith("-");
  const letters = HARMLESS_OF_SHELL.get(shell) ?? HARMLESS;
  const off = shell === "fish" ? "" : letters + OFF_ANYWAY;
  const harmless = on ? letters : off;
  for (const letter of word.slice(1)) {
    if (letter === "c" && on) reading.takesText = true;
    else if (letter === "s" && on) reading.fromStdin = true;
    else if (letter === "l" || letter === "i") reading.startup ??= `-${letter}`;
    else if (letter === "o") readNamedOption(argv[reading.next], word, on, reading);
    else if (letter === "O") {
      reading.odd ??= word;
      reading.next += 1;
    } else if (!harmless.includes(letter)) reading.odd ??= word;
    if (letter === "e") reading.errexit = on;
  }
}

/** The name is the next word that is left, also from inside a cluster: `-eo pipefail`. */
function readNamedOption(name: string | undefined, word: string, on: boolean, reading: Reading): void {
  reading.next += 1;
  if (name === undefined || !HARMLESS_NAMES.has(name)) reading.odd ??= name === undefined ? word : `${word} ${name}`;
  if (name === "errexit") reading.errexit = on;
  if (name === "pipefail") reading.pipefail = on;
}

const REFERENCE = /^(?:"\$(?:\{(\d+|@)\}|(\d|@))"|\$(?:\{(\d+|@)\}|(\d|@)))$/;

/**
 * The program that a text made of nothing but positional parameters carries: `sh -c '"$0" "$@"' touch x` is `touch x`. `null` for any
 * other text. Unquoted references are split and expanded by the shell, so they count only where the value holds nothing to split.
 */
export function carriedByPosition(text: string, positional: readonly string[]): Argv | null {
  const words = text
    .replace(/^[ \t]*(?:exec[ \t]+(?:--[ \t]+)?)?/, "")
    .replace(/[ \t]+$/, "")
    .split(/[ \t]+/);
  const values: string[] = [];
  for (const word of words) {
    const match = REFERENCE.exec(word);
    const reference = match?.slice(1).find((group) => group !== undefined);
    if (reference === undefined) return null;
    const found = reference === "@" ? positional.slice(1) : [positional[Number(reference)] ?? ""];
    if (!word.startsWith('"') && found.some((value) => !/^[\w./:=@%+,-]+$/.test(value))) return null;
    values.push(...found);
  }
  const argv = toArgv(values);
  return argv === null || argv[0] === "" ? null : argv;
}
