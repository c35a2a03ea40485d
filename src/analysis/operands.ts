import { type AbsolutePath, isInside, parseAbsolutePath } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { conventionalInputs } from "./conventions.ts";
import { followPath } from "./follow-path.ts";
import { type InterpreterUse, interpreterUse } from "./interpreter-use.ts";
import type { Machine } from "./machine.ts";
import { programName } from "./program-name.ts";
import { quoted } from "./quoted.ts";
import { shellUse, startupFiles } from "./shells.ts";

/** The files whose bytes decide what a simple command does, and in words what is loaded beyond them. */
export interface Operands {
  readonly files: readonly BoundFile[];
  readonly script: { readonly index: number; readonly path: AbsolutePath; readonly plain: boolean } | null;
  readonly unbound: readonly string[];
}

export interface BoundFile {
  /** In this argv; -1 for what is read without being named. */
  readonly index: number;
  readonly path: AbsolutePath;
}

/** What was named, before anyone looked whether it is there. */
interface Named {
  readonly files: readonly { readonly index: number; readonly path: string }[];
  readonly plain: boolean;
  readonly endings: readonly string[];
  readonly unbound: readonly string[];
}

/**
 * `piped`: standard input comes from another command, so a program read from there is bound by nothing. `called` is the command under the
 * name it was given: `npm` is a link to `npm-cli.js`, and reads `package.json` under either name.
 */
export function operandsOf(argv: Argv, cwd: AbsolutePath, machine: Machine, piped: boolean, called = argv): Result<Operands, Denial> {
  const byName = conventionalInputs(called, cwd, machine);
  const conventions = byName.unbound.length > 0 ? byName : conventionalInputs(argv, cwd, machine);
  const named = namedIn(argv, cwd, machine, piped);
  if (!named.ok) return named;
  const files: BoundFile[] = [];
  for (const { index, path } of [...named.value.files, ...conventions.files]) {
    const found = locate(path, cwd, machine, named.value.endings);
    if (found === null) return fail(unavailable(path, argv[0]));
    files.push({ index, path: found });
  }
  const [first] = named.value.files.length === 1 ? files : [];
  const script = first === undefined ? null : { ...first, plain: named.value.plain };
  return ok({ files, script, unbound: [...named.value.unbound, ...importsOf(argv, files, machine), ...conventions.unbound] });
}

function namedIn(argv: Argv, cwd: AbsolutePath, machine: Machine, piped: boolean): Result<Named, Denial> {
  const nothing: Named = { files: [], plain: false, endings: [], unbound: [] };
  const shell = shellUse(argv);
  if (shell !== null) {
    // A text is looked through, and whoever does that says what the shell around it reads.
    const read = shell.kind === "text" ? null : startupFiles(programName(argv[0]), shell.how);
    const startup = read === null ? [] : [read];
    if (shell.kind === "script")
      return ok({ ...nothing, files: [{ index: shell.at, path: argv[shell.at] ?? "" }], plain: shell.how.plain, unbound: startup });
    return ok({ ...nothing, unbound: shell.kind === "stdin" ? [...startup, ...fromPipe(argv, piped)] : startup });
  }
  if (programName(argv[0]) === "java") return ok({ ...nothing, ...javaProgram(argv) });
  const use = interpreterUse(argv);
  if (use === null) return ok(nothing);
  const unbound = [
    ...use.loads.map((load) => `the code that ${quoted(`${use.name} ${load}`)} loads`),
    ...(use.module === null ? [] : [`the module ${quoted(use.module)} and what it imports`]),
    ...(use.stdin ? fromPipe(argv, piped) : []),
  ];
  const files = use.ambiguous === null ? ok(use.files.filter(({ path }) => isFileName(path, use))) : candidates(argv, use, cwd, machine);
  if (!files.ok) return files;
  const unnamed = use.ambiguous === null ? use.files.flatMap(({ path }) => notAFile(path, use)) : [];
  return ok({ files: files.value, plain: use.plain, endings: use.row.endings ?? [], unbound: [...unbound, ...unnamed] });
}

/** deno and bun take sub-commands and package scripts where others take a file; a file then has a dot or a slash. */
function isFileName(path: string, use: InterpreterUse): boolean {
  return !isUrl(path) && (use.row.subcommands !== true || /[./]/.test(path));
}

/** In words what is run where no file is named; a package's scripts are told by whoever finds its `package.json`. */
function notAFile(path: string, use: InterpreterUse): readonly string[] {
  if (isUrl(path)) return [`the program at ${quoted(path)}`];
  return isFileName(path, use) || use.name === "bun" ? [] : [`what ${quoted(`${use.name} ${path}`)} runs`];
}

function isUrl(path: string): boolean {
  return /^(?:https?|npm|jsr|data|blob|node):/.test(path);
}

/** After an option that we do not know the program could be either of the next two words: whichever alone is a file, else nobody knows. */
function candidates(argv: Argv, use: InterpreterUse, cwd: AbsolutePath, machine: Machine): Result<Named["files"], Denial> {
  const after = argv.findIndex((word) => word === use.ambiguous) + 1;
  const operands = argv.flatMap((path, index) => (index >= after && !path.startsWith("-") ? [{ index, path }] : [])).slice(0, 2);
  const there = operands.filter(({ path }) => locate(path, cwd, machine, use.row.endings ?? []) !== null);
  if (there.length <= 1) return ok(there);
  return fail(
    denial(
      "binding.unavailable",
      `it is not clear which file ${quoted(`${use.name} ${use.ambiguous ?? ""}`)} runs; leave the option out or name the script first`,
      {
        candidates: there.map(({ path }) => path),
      },
    ),
  );
}

function fromPipe(argv: Argv, piped: boolean): readonly string[] {
  return piped ? [`the program that ${quoted(programName(argv[0]))} reads from the pipe`] : [];
}

/** java(1): `-jar FILE`, or a source file; classes are found by name along a path of directories. */
function javaProgram(argv: Argv): Partial<Named> {
  const jar = argv.indexOf("-jar");
  if (jar > 0 && argv[jar + 1] !== undefined)
    return { files: [{ index: jar + 1, path: argv[jar + 1] ?? "" }], unbound: ["the class path of `java`"] };
  const source = argv.findIndex((word, index) => index > 0 && word.endsWith(".java"));
  if (source > 0) return { files: [{ index: source, path: argv[source] ?? "" }], unbound: ["the class path of `java`"] };
  return argv.length > 2 ? { unbound: ["the classes that `java` loads"] } : {};
}

/** Files that only root can change have their imports beside them, which only root can change as well. */
function importsOf(argv: Argv, files: readonly BoundFile[], machine: Machine): readonly string[] {
  if (interpreterUse(argv)?.row.imports !== true) return [];
  return files
    .filter(({ index, path }) => index >= 0 && machine.childCanChange(path))
    .map(({ index }) => `the files that ${quoted(argv[index] ?? "")} imports`);
}

const NOT_ON_DISK = ["/proc", "/sys", "/dev"].flatMap((text) => {
  const path = parseAbsolutePath(text);
  return path.ok ? [path.value] : [];
});

/** The real path of a regular file on a disk, or `null`. */
function locate(path: string, cwd: AbsolutePath, machine: Machine, endings: readonly string[]): AbsolutePath | null {
  if (path === "") return null;
  for (const ending of ["", ...endings]) {
    const there = followPath(`${path}${ending}`, cwd, machine);
    const real = there === null ? null : machine.realPath(there);
    if (there === null || real === null || machine.kindOf(real) !== "file") continue;
    return [there, real].some((at) => NOT_ON_DISK.some((place) => isInside(at, place))) ? null : real;
  }
  return null;
}

function unavailable(path: string, program: string): Denial {
  const name = programName(program);
  return denial(
    "binding.unavailable",
    `${quoted(path)}, which ${quoted(name)} would run, is not a regular file that can be read; name one that is`,
    { file: path },
  );
}
