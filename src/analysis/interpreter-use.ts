import type { Argv } from "../core/argv.ts";
import { type Interpreter, interpreterNamed } from "./interpreters.ts";
import { type FoundOption, readOptions } from "./options.ts";
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
  const before = readOptions(argv, row);
  const runs = row.runs?.includes(argv[before.operands] ?? "") ?? false;
  const after = runs ? readOptions(argv, row, before.operands + 1) : before;
  const options = runs ? [...before.options, ...after.options] : before.options;
  const having = (names: string | undefined): readonly FoundOption[] => {
    const wanted = names?.split(" ") ?? [];
    return options.filter((option) => wanted.includes(option.name));
  };
  const loads = having(row.loads).map((option) => (option.value === null ? option.name : `${option.name} ${option.value}`));
  const [module] = having(row.module);
  const code = codeOf(argv, row, having(row.code), after.operands);
  const named = having(row.file).flatMap(({ value, at }) => (value === null ? [] : [{ index: at, path: value }]));
  const known = { name, row, loads, module: module?.value ?? null, ambiguous: before.unknown ?? after.unknown };
  if (code !== null || named.length > 0 || module !== undefined) return { ...known, code, files: named, stdin: false, plain: false };
  const operand = argv[after.operands];
  if (operand === undefined || operand === "-") return { ...known, code: null, files: [], stdin: row.stdin === true, plain: false };
  if (row.operandIsCode === true)
    return { ...known, code: { flag: "inline program", text: operand }, files: [], stdin: false, plain: false };
  return { ...known, code: null, files: [{ index: after.operands, path: operand }], stdin: false, plain: options.length === 0 && !runs };
}

function codeOf(argv: Argv, row: Interpreter, found: readonly FoundOption[], operands: number): InterpreterUse["code"] {
  const [first] = found;
  if (first !== undefined) return { flag: first.name, text: found.map(({ value }) => value ?? "").join("\n") };
  const operand = argv[operands] ?? "";
  return row.evals?.includes(operand) ? { flag: operand, text: argv[operands + 1] ?? null } : null;
}
