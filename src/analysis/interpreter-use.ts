import type { Argv } from "../core/argv.ts";
import type { Interpreter } from "./interpreter.ts";
import { interpreterNamed } from "./interpreters.ts";
import { type FoundOption, readAllOptions, readOptions } from "./options.ts";
import { programName } from "./program-name.ts";

/** What one interpreter is asked to run. Several of these can be so at once: `ruby -rjson -e '…' x`. */
export interface InterpreterUse {
  readonly name: string;
  readonly row: Interpreter;
  /** Program text on the command line, by the option that carries it. */
  readonly code: { readonly flag: string; readonly text: string | null } | null;
  /** Files with the program, by their place in argv. */
  readonly files: readonly ProgramFile[];
  readonly module: string | null;
  readonly loads: readonly string[];
  readonly stdin: boolean;
  /** No option stands before the file. */
  readonly plain: boolean;
  /** An unknown option, after which no one can say which word is the program. */
  readonly ambiguous: string | null;
}

export interface ProgramFile {
  readonly index: number;
  readonly path: string;
}

/** Asked about the same argv by everyone who judges or binds it; argv never changes, so one reading serves all. */
const READ = new WeakMap<Argv, InterpreterUse | null>();

export function interpreterUse(argv: Argv): InterpreterUse | null {
  const known = READ.get(argv);
  if (known !== undefined) return known;
  const use = readUse(argv);
  READ.set(argv, use);
  return use;
}

function readUse(argv: Argv): InterpreterUse | null {
  const name = programName(argv[0]);
  const row = interpreterNamed(name);
  if (row === null) return null;
  const { options, operands, unknown, runs } = wordsOf(argv, row);
  const having = (names: string | undefined): readonly FoundOption[] => {
    const wanted = names?.split(" ") ?? [];
    return options.filter((option) => wanted.includes(option.name));
  };
  const shown = (option: FoundOption): string => (option.value === null ? option.name : `${option.name} ${option.value}`);
  const elsewhere = having(row.elsewhere).map(shown);
  const loads = [...having(row.loads).map(shown), ...elsewhere];
  const [module] = having(row.module);
  const [first, second] = operands.map((at) => argv[at]);
  const code = codeOf(row, having(row.code), first, second);
  const named = having(row.file).flatMap(({ value, at }) => (value === null ? [] : [{ index: at, path: value }]));
  const known = { name, row, loads, module: module?.value ?? null, ambiguous: unknown, files: [], code, stdin: false, plain: false };
  // Whatever is opened is opened from another directory.
  if (elsewhere.length > 0) return known;
  if (code !== null || named.length > 0 || module !== undefined) return { ...known, files: named };
  if (first === undefined || first === "-") return { ...known, stdin: row.stdin === true };
  if (row.operandIsCode === true) return { ...known, code: { flag: "inline program", text: first } };
  if (row.opaque?.includes(first)) return { ...known, loads: [...loads, first] };
  return { ...known, files: [{ index: operands[0] ?? 0, path: first }], plain: options.length === 0 && !runs };
}

interface Words {
  readonly options: readonly FoundOption[];
  /** Places of the words that are neither options nor their values. */
  readonly operands: readonly number[];
  readonly unknown: string | null;
  readonly runs: boolean;
}

function wordsOf(argv: Argv, row: Interpreter): Words {
  if (row.permutes === true) return { ...readAllOptions(argv, row), runs: false };
  const before = readOptions(argv, row);
  const runs = row.runs?.includes(argv[before.operands] ?? "") ?? false;
  const after = runs ? readOptions(argv, row, before.operands + 1) : before;
  const options = runs ? [...before.options, ...after.options] : before.options;
  const operands = argv.flatMap((_, at) => (at >= after.operands ? [at] : []));
  return { options, operands, unknown: before.unknown ?? after.unknown, runs };
}

function codeOf(row: Interpreter, found: readonly FoundOption[], first?: string, second?: string): InterpreterUse["code"] {
  const [option] = found;
  if (option !== undefined) return { flag: option.name, text: found.map(({ value }) => value ?? "").join("\n") };
  return first !== undefined && row.evals?.includes(first) ? { flag: first, text: second ?? null } : null;
}
