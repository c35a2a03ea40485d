import type { Argv } from "../core/argv.ts";
import { ANY_FORM_CARRIERS } from "./any-form-carriers.ts";
import type { Carrier } from "./carrier.ts";
import { type InterpreterUse, interpreterUse } from "./interpreter-use.ts";
import { OPTION_CARRIERS } from "./option-carriers.ts";
import { programName, rowFor } from "./program-name.ts";
import { PROJECT_CARRIERS } from "./project-carriers.ts";
import { quoted } from "./quoted.ts";
import { isHarmlessSedProgram } from "./sed-program.ts";
import { isForeignShell, shellUse } from "./shells.ts";
import { SYSTEM_CARRIERS } from "./system-carriers.ts";
import { TOOLCHAIN_CARRIERS } from "./toolchain-carriers.ts";

/** The whole table. */
export const CARRIERS: readonly Carrier[] = [
  ...ANY_FORM_CARRIERS,
  ...OPTION_CARRIERS,
  ...PROJECT_CARRIERS,
  ...SYSTEM_CARRIERS,
  ...TOOLCHAIN_CARRIERS,
];

/** What a command carries that an entry for its program alone does not cover, in words; `null` when it does only what it is. */
export function carriedBy(argv: Argv): string | null {
  const name = programName(argv[0]);
  if (asksOnlyWhoItIs(argv)) return null;
  if (isForeignShell(name)) return `${quoted(name)} runs whatever text it is given`;
  return shellCarries(argv, name) ?? linkerCarries(name) ?? rowsCarry(argv, name) ?? interpreterCarries(argv);
}

/** Whether a program carries whatever its arguments are. */
export function carriesInAnyForm(name: string): boolean {
  return linkerCarries(name) !== null || (rowFor(BY_NAME, name)?.some((row) => row.any !== undefined) ?? false);
}

/** What it may start or load that nothing binds, in words: a person who approves the command sees this first. */
export function unseenBy(argv: Argv): string | null {
  const name = programName(argv[0]);
  if (asksOnlyWhoItIs(argv)) return null;
  const use = interpreterUse(argv);
  if (use?.code && use.row.imports === true) return `the files that the program text of ${quoted(use.name)} loads`;
  return linkerCarries(name) ?? rowsCarry(argv, name, (row) => row.does === undefined);
}

/** ld.so(8): the dynamic linker starts any program it is given. */
function linkerCarries(name: string): string | null {
  return /^ld(?:64|32|\.elf.*)?\.so|^ld-(?:linux|musl)/.test(name) ? `${quoted(name)} starts the program it is given` : null;
}

/** Told by the program's own row: to one that does not know the option, `--version` is the name of a file to run. */
function asksOnlyWhoItIs(argv: Argv): boolean {
  return (
    argv.length === 2 &&
    (interpreterUse(argv)
      ?.row.asks?.split(" ")
      .includes(argv[1] ?? "") ??
      false)
  );
}

function shellCarries(argv: Argv, name: string): string | null {
  switch (shellUse(argv)?.kind) {
    case "text":
      return `${quoted(`${name} -c`)} runs a text`;
    case "script":
      return `${quoted(name)} runs a script`;
    case "stdin":
      return `${quoted(name)} reads commands from its input`;
    case undefined:
      return null;
  }
}

function interpreterCarries(argv: Argv): string | null {
  const use = interpreterUse(argv);
  if (use === null) return null;
  if (use.row.operandIsCode === true) return sedCarries(use);
  if (use.code !== null) return `${quoted(`${use.name} ${use.code.flag}`)} runs program text`;
  if (use.module !== null) return `${quoted(use.name)} runs the module ${quoted(use.module)}`;
  if (use.loads[0] !== undefined) return `${quoted(`${use.name} ${use.loads[0]}`)} loads code`;
  if (use.files.length > 0) return `${quoted(use.name)} runs a script`;
  return use.stdin ? `${quoted(use.name)} reads its program from its input` : null;
}

function sedCarries(use: InterpreterUse): string | null {
  if (use.files.length > 0) return `${quoted(use.name)} reads its program from a file`;
  if (use.ambiguous !== null) return `${quoted(`${use.name} ${use.ambiguous}`)} is not understood`;
  return isHarmlessSedProgram(use.code?.text ?? "") ? null : `a ${quoted(use.name)} program can run commands and write files`;
}

function rowsCarry(argv: Argv, name: string, counts: (row: Row) => boolean = () => true): string | null {
  for (const row of (rowFor(BY_NAME, name) ?? []).filter(counts)) {
    const found = rowCarries(row, argv);
    if (found !== null)
      return row.any === undefined
        ? `${quoted(`${name} ${found}`)} ${row.does ?? "can start other programs or load code"}`
        : `${quoted(name)} ${found}`;
  }
  return null;
}

function rowCarries(row: Row, argv: Argv): string | null {
  if (row.any !== undefined) return row.any;
  return optionThatCarries(row, argv) ?? (row.safe === null ? null : subcommandThatCarries(row, row.safe, argv));
}

function optionThatCarries(row: Row, argv: Argv): string | null {
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (row.words.has(word) || row.begins.some((start) => word.startsWith(start)) || row.operand?.test(word) === true) return word;
    if (word.startsWith("--")) {
      if (longCarries(row, word)) return word;
    } else if (row.short !== undefined && (word.startsWith("-") || (row.oldStyle === true && at === 1))) {
      if (clusterCarries(row, row.short, word)) return word;
    }
  }
  return null;
}

/** getopt_long(3) takes any beginning; programs without abbreviations lose nothing by being asked about one. */
function longCarries(row: Row, word: string): boolean {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  if (name.length < 3 || row.except.has(name)) return false;
  return row.long.some((long) => long.startsWith(name));
}

function clusterCarries(row: Row, short: string, word: string): boolean {
  const dashed = word.startsWith("-");
  for (const letter of dashed ? word.slice(1) : word) {
    if (short.includes(letter)) return true;
    if (dashed && row.skips?.includes(letter)) return false;
  }
  return false;
}

/** No word can be this one. */
const NOTHING_MORE = "\0";
const ASKING = ["--version", "--help", "-v", "-V", "-h"];

function subcommandThatCarries(row: Row, safe: ReadonlySet<string>, argv: Argv): string | null {
  let at = 1;
  while (row.harmless.has(argv[at] ?? "")) at += 1;
  const [first, second = NOTHING_MORE, third = NOTHING_MORE] = argv.slice(at, at + 3);
  if (first === undefined || safe.has(first) || safe.has(`${first}&${second}`) || safe.has(`${first}&${second}&${third}`)) return null;
  return first;
}

/** A row of the tables, taken apart once: a command may have thousands of words. */
interface Row extends Omit<Carrier, "long" | "except" | "begins" | "words" | "safe" | "harmless"> {
  readonly long: readonly string[];
  readonly except: ReadonlySet<string>;
  readonly begins: readonly string[];
  readonly words: ReadonlySet<string>;
  readonly safe: ReadonlySet<string> | null;
  readonly harmless: ReadonlySet<string>;
}

function takenApart(row: Carrier): Row {
  return {
    ...row,
    long: list(row.long).map((name) => `--${name}`),
    except: new Set(list(row.except)),
    begins: list(row.begins),
    words: new Set(list(row.words)),
    safe: row.safe === undefined ? null : new Set(list(row.safe).map((each) => each.replace("$", NOTHING_MORE))),
    harmless: new Set([...list(row.harmless), ...ASKING]),
  };
}

function list(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.split(" ");
}

function group(): ReadonlyMap<string, readonly Row[]> {
  const rows = new Map<string, Row[]>();
  for (const row of CARRIERS.map(takenApart)) {
    for (const name of row.names.split(" ")) {
      const known = rows.get(name);
      if (known === undefined) rows.set(name, [row]);
      else known.push(row);
    }
  }
  return rows;
}

const BY_NAME: ReadonlyMap<string, readonly Row[]> = group();
