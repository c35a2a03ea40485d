/** Decides how one command is started: by which file, with which argv, and on which descriptors, so that what runs is what was hashed. */
import { closeSync, readSync } from "node:fs";
import { posix } from "node:path";
import type { Program } from "../analysis/machine.ts";
import type { CommandStep } from "../analysis/step.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { SHEBANG_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { EnforcementLevel } from "../policy/exec-settings.ts";
import type { Held, HeldDirectory, HeldFile } from "./held.ts";
import { hostScript } from "./interpreters/script-host.ts";
import { changedDenial, heldBytes } from "./recheck.ts";
import { parseShebang } from "./shebang-line.ts";
import { isEnv, throughShebang } from "./shebang-start.ts";
import { CHILD_DESCRIPTOR_FIRST, lowestOf, type PassedDescriptor, type Start, type Watched } from "./start.ts";

export interface StartContext {
  readonly environment: readonly string[];
  readonly held: Held;
  /** What starting in a held directory is worth here. */
  readonly directoryLevel: EnforcementLevel;
  /** A private copy of these bytes that nobody can change, at a number above all that children get. */
  copyOf(bytes: Uint8Array): number;
}

/** Decided bit by bit. */
interface Draft extends StartContext {
  readonly cwd: HeldDirectory;
  readonly passed: PassedDescriptor[];
  readonly copies: number[];
  readonly watched: Watched[];
  readonly covered: Set<AbsolutePath>;
  readonly levels: EnforcementLevel[];
}

interface Invocation {
  readonly program: Program;
  readonly argv: readonly string[];
}

export function startOf(step: CommandStep, context: StartContext): Result<Start, Denial> {
  const cwd = context.held.directories.get(step.cwd);
  if (cwd === undefined) throw new Error("a directory that was not held was about to be started in");
  const missing = pathsOf(step).find((path) => !context.held.files.has(path));
  if (missing !== undefined) return fail(swappedDenial(missing));
  const draft: Draft = { cwd, passed: [], copies: [], watched: [], covered: new Set(), levels: [context.directoryLevel], ...context };
  const inner = innermost(step, draft);
  if (!inner.ok) {
    for (const fd of draft.copies) closeSync(fd);
    return inner;
  }
  const { file, argv } = step.carried === null ? started(inner.value, draft) : wrapped(step, step.carried.index, inner.value, draft);
  const { environment, passed, copies, watched, covered } = draft;
  return ok({ file, argv, environment, cwd, passed, copies, watched, covered, level: lowestOf(draft.levels), name: step.argv[0] });
}

/** Everything that the step comes down to, which must all be held. */
function pathsOf({ program, carried, interpreters, script }: CommandStep): readonly AbsolutePath[] {
  const programs = [program, ...(carried === null ? [] : [carried.program]), ...interpreters].map(({ realPath }) => realPath);
  return script === null ? programs : [...programs, script.path];
}

/** Two looks at the same name led to two files: somebody moved it in between. */
function swappedDenial(path: AbsolutePath): Denial {
  return denial("exec.changed-after-start", `\`${path}\` took another file's place while it was looked at; ask again`, { file: path });
}

/** The command itself, or, while it is a script, the interpreter that runs it, until that is a program which the kernel starts. */
function innermost(step: CommandStep, draft: Draft): Result<Invocation, Denial> {
  const from = step.carried?.index ?? 0;
  let current: Invocation = { program: step.carried?.program ?? step.program, argv: step.argv.slice(from) };
  if (step.script !== null) {
    const argv = seated(current, step.script.index - from, heldFile(step.script.path, draft), draft);
    if (!argv.ok) return argv;
    current = { ...current, argv: argv.value };
  }
  if (kernelReadsTheSameLine(current.program, step.interpreters, draft)) return ok(current);
  for (let rest = step.interpreters; rest.length > 0; ) {
    const script = heldFile(current.program.realPath, draft);
    const line = parseShebang(headOf(script.fd));
    const next = line === null || line === "none" ? null : throughShebang(current.argv, current.program, line, rest);
    // The line that was analysed and the bytes that are held disagree: one of them is not what was approved.
    if (next === null) return fail(changedDenial(script));
    const argv = next.isDirect ? seated(next, next.scriptIndex, script, draft) : ok(byPath(next.argv, next.scriptIndex, script, draft));
    if (!argv.ok) return argv;
    current = { program: next.program, argv: argv.value };
    rest = next.rest;
  }
  return ok(current);
}

/** Root's script under root's interpreter: the kernel does it exactly. `env` does not count, because it looks up a name at its own time. */
function kernelReadsTheSameLine(program: Program, interpreters: readonly Program[], draft: Draft): boolean {
  return [program, ...interpreters].every((each) => !isEnv(each) && heldFile(each.realPath, draft).kept === "permission");
}

/** Puts a script where its interpreter reads exactly the bytes that were hashed, or, where the script would notice, leaves it. */
function seated(invocation: Invocation, index: number, script: HeldFile, draft: Draft): Result<readonly string[], Denial> {
  draft.covered.add(script.path);
  if (script.kept === "permission") return ok(invocation.argv);
  const bytes = script.kept === "path" ? null : heldBytes(script);
  if (bytes === null && script.kept !== "path") return fail(changedDenial(script));
  const childs = CHILD_DESCRIPTOR_FIRST + draft.passed.length;
  const hosted = bytes === null ? null : hostScript({ ...invocation, index, bytes, path: script.path, descriptor: childs });
  if (hosted === null) return ok(byPath(invocation.argv, index, script, draft));
  // Without a seal the file can be written to after the last look at it; a copy of what was looked at cannot.
  const content = hosted.content ?? (script.kept === "seal" ? null : bytes);
  const ours = content === null ? script.fd : draft.copyOf(content);
  if (content !== null) draft.copies.push(ours);
  draft.passed.push({ ours, childs });
  draft.levels.push(script.kept === "seal" ? "sealed" : "pinned");
  return ok(hosted.argv);
}

function byPath(argv: readonly string[], index: number, file: HeldFile, draft: Draft): readonly string[] {
  draft.covered.add(file.path);
  draft.levels.push("checked");
  draft.watched.push({ file, goesBy: posix.resolve(draft.cwd.path, argv[index] ?? file.path) });
  return argv;
}

interface Launched {
  readonly file: string;
  readonly argv: readonly string[];
}

function started({ program, argv }: Invocation, draft: Draft): Launched {
  const held = heldFile(program.realPath, draft);
  draft.covered.add(held.path);
  switch (held.kept) {
    case "permission":
      // The name it was found under, where only root decides what that name leads to: programs look at how they are called.
      return { file: program.linksAreRoots ? program.linkPath : program.realPath, argv };
    case "seal":
      return { file: `/proc/self/fd/${held.fd}`, argv };
    case "lease":
      draft.watched.push({ file: held, goesBy: null });
      return { file: `/proc/self/fd/${held.fd}`, argv };
    case "descriptor":
      draft.levels.push("pinned");
      draft.watched.push({ file: held, goesBy: null });
      return { file: `/proc/self/fd/${held.fd}`, argv };
    case "path":
      draft.levels.push("checked");
      draft.watched.push({ file: held, goesBy: held.path });
      return { file: held.path, argv };
  }
}

/**
 * A wrapper starts the inner program itself, by the name it is given. An absolute path that root alone can change is as good as a descriptor.
 * Any other program would see a strange name as its own if it were given as a descriptor, so it goes by its path, and the level says so.
 */
function wrapped(step: CommandStep, at: number, { program, argv }: Invocation, draft: Draft): Launched {
  const held = heldFile(program.realPath, draft);
  draft.covered.add(held.path);
  const words = [...step.argv.slice(0, at), program.linkPath, ...argv.slice(1)];
  const isExact = held.kept === "permission" && (program.linksAreRoots || program.linkPath === program.realPath);
  return started({ program: step.program, argv: isExact ? words : byPath(words, at, held, draft) }, draft);
}

function heldFile(path: AbsolutePath, { held }: StartContext): HeldFile {
  const file = held.files.get(path);
  if (file === undefined) throw new Error("a file that was not held was about to be started");
  return file;
}

function headOf(fd: number): Uint8Array {
  const head = Buffer.alloc(SHEBANG_BYTES_MAX);
  return head.subarray(0, readSync(fd, head, 0, head.length, 0));
}
