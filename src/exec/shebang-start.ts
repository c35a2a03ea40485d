/** What the kernel, and after it env(1), would start for a script: the same words, so that the interpreter can be started on held bytes. */
import type { Program, Shebang } from "../analysis/machine.ts";
import { programName } from "../analysis/program-name.ts";

export interface Interpreted {
  readonly program: Program;
  readonly argv: readonly string[];
  readonly scriptIndex: number;
  /** Whether the program takes the script as its operand; otherwise it starts another that will. */
  readonly isDirect: boolean;
  readonly rest: readonly Program[];
}

export function isEnv(program: Program): boolean {
  return programName(program.word) === "env";
}

/** `interpreters` as the analysis found them. `null` when the line names another one. */
export function throughShebang(
  argv: readonly string[],
  script: Program,
  line: Shebang,
  interpreters: readonly Program[],
): Interpreted | null {
  const [interpreter, named, ...further] = interpreters;
  if (interpreter === undefined || interpreter.word !== line.interpreter) return null;
  const after = [calledAs(script), ...argv.slice(1)];
  if (isEnv(interpreter) && named !== undefined && line.argument !== null) {
    const words = wordsForEnv(line.argument);
    if (words?.[0] === named.word)
      return { program: named, argv: [...words, ...after], scriptIndex: words.length, isDirect: true, rest: further };
    // env(1) has something of its own to do first. It is started as it is, and finds both by name.
    return { program: interpreter, argv: [line.interpreter, line.argument, ...after], scriptIndex: 2, isDirect: false, rest: [] };
  }
  const before = line.argument === null ? [line.interpreter] : [line.interpreter, line.argument];
  const rest = named === undefined ? [] : [named, ...further];
  return { program: interpreter, argv: [...before, ...after], scriptIndex: before.length, isDirect: true, rest };
}

/** What execve(2) is given: a name with a slash as it was written, any other as it was found on PATH. The script sees it as its `$0`. */
function calledAs({ word, linkPath }: Program): string {
  return word.includes("/") ? word : linkPath;
}

/** The command line that env(1) would make of its argument, or `null` where it would do more than that. */
function wordsForEnv(argument: string): readonly string[] | null {
  const split = /^(?:-S|--split-string)[ \t=]*(.*)$/.exec(argument)?.[1];
  if (split === undefined) return argument.startsWith("-") || argument.includes("=") ? null : [argument.trim()];
  if (/["'\\$#]/.test(split)) return null;
  const words = split.trim().split(/[ \t]+/);
  return words[0] === undefined || words[0] === "" || /^-|=/.test(words[0]) ? null : words;
}
