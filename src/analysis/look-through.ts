import { parentOf, resolvePath } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import { WRAPPER_DEPTH_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type Leaf, leafOf, lookUp } from "./leaf.ts";
import type { LookContext, Looked, Stop } from "./looked.ts";
import type { Program } from "./machine.ts";
import { packageRunner, type RunnerUse } from "./package-runners.ts";
import { programName } from "./program-name.ts";
import { quoted } from "./quoted.ts";
import { isBuiltin } from "./shell-words.ts";
import { carriedByPosition, type ShellUse, shellUse, startupFiles } from "./shells.ts";
import type { Step } from "./step.ts";
import { isTrusted, wrapStep } from "./wrapped-step.ts";
import { isMultiplexer, type TrustPlan, trustPlan, unwrapOne } from "./wrappers.ts";

const TOO_DEEP = `wrappers are stacked more than ${WRAPPER_DEPTH_MAX} deep`;

export function lookThrough(argv: Argv, context: LookContext): Result<Looked, Stop> {
  const plan = trustPlan(argv, WRAPPER_DEPTH_MAX - context.depth);
  const wrappers = plan.wrappers.map((wrapper) => ({ ...wrapper, program: lookUp(wrapper.argv[0], context) }));
  const unknown = wrappers.find(({ program, name }) => program === null || !isTrusted(program, name, context.machine));
  if (unknown !== undefined) return closed(unknown.argv, argv, context, stranger(unknown.argv[0], unknown.name));
  const outer = wrappers.flatMap(({ name, argv: from, program }) => (program === null ? [] : [{ name, argv: from, program }]));
  const within = outer.length === 0 ? context : { ...context, depth: context.depth + outer.length };
  const inner = plan.blocked === null ? lookInside(plan.argv, within) : blocked(plan, plan.blocked, within);
  if (!inner.ok) {
    const { failure } = inner;
    return fail(
      failure.kind === "denial" ? failure : { ...failure, programs: [...outer.map(({ program }) => program), ...failure.programs] },
    );
  }
  return outer.length === 0 ? inner : ok(wrapped(argv, plan.argv, outer, inner.value, context));
}

function stranger(word: string, name: string): string {
  return `${quoted(word)} goes by the name of ${quoted(name)}, but the command's own user could change it`;
}

function lookInside(argv: Argv, context: LookContext): Result<Looked, Stop> {
  const shell = shellUse(argv);
  if (shell?.kind === "text") return lookIntoText(argv, shell, context);
  const runner = packageRunner(argv);
  if (runner !== null) return lookIntoRunner(argv, runner, context);
  return plainCommand(argv, context);
}

/** A command that is taken for what it is. */
function plainCommand(argv: Argv, context: LookContext): Result<Looked, Stop> {
  const leaf = leafOf(argv, context);
  return leaf.ok ? ok(fromLeaf(leaf.value, context)) : fail({ kind: "denial", denial: leaf.failure });
}

function fromLeaf({ segment, programs, files, unbound }: Leaf, { cwd }: LookContext): Looked {
  const interpreters = programs.slice(1);
  const { program, argv, script } = segment;
  const at = script === null ? null : { index: script.index, path: script.path };
  const step: Step =
    program === null ? { kind: "nothing" } : { kind: "command", program, argv, cwd, script: at, carried: null, interpreters };
  return { segments: [segment], judged: step, requested: program === null ? null : step, programs, files, unbound, startup: [] };
}

/** Recognised and not looked into: the head of `argv` is judged as it stands, and what it carries is said. */
function closed(argv: Argv, written: Argv, context: LookContext, carries: string, never: string | null = null): Result<Looked, Stop> {
  const leaf = leafOf(argv, context);
  if (!leaf.ok) return fail({ kind: "denial", denial: leaf.failure });
  const looked = fromLeaf(leaf.value, context);
  const unbound = [...looked.unbound, `what ${quoted(programName(argv[0]))} starts`];
  const requested = argv === written ? looked.requested : requestedOf(written, null, [], context);
  const segments = looked.segments.map((segment) => ({ ...segment, written, carries, never: segment.never ?? never, storable: false }));
  const first = lookUp(written[0], context);
  return ok({
    ...looked,
    segments,
    requested,
    unbound,
    programs: argv === written || first === null ? looked.programs : [first, ...looked.programs],
  });
}

function blocked(plan: TrustPlan, { why, always }: NonNullable<TrustPlan["blocked"]>, context: LookContext): Result<Looked, Stop> {
  return closed(plan.argv, plan.argv, context, why, always ? why : null);
}

interface Outer {
  readonly name: string;
  readonly argv: Argv;
  readonly program: Program;
}

/** Puts the transparent wrappers back around what they carry. */
function wrapped(argv: Argv, inner: Argv, outer: readonly Outer[], looked: Looked, context: LookContext): Looked {
  const offset = argv.length - inner.length;
  const multiplexed = outer.some(({ name }) => isMultiplexer(name));
  const around = wrapStep(outer, inner, looked.judged);
  const never = around === null ? `${quoted(outer[0]?.name ?? "")} around several commands needs a shell` : null;
  const segments = looked.segments.map((segment) => ({
    ...segment,
    written: argv,
    wrappers: [...outer.map(({ name }) => name), ...segment.wrappers],
    never: segment.never ?? never,
    storable: segment.storable && !multiplexed,
  }));
  const files = looked.files.map(({ index, path }) => ({ index: index < 0 ? index : index + offset, path }));
  return {
    segments,
    judged: around ?? looked.judged,
    requested: requestedOf(argv, looked.requested, outer, context),
    programs: [...outer.map(({ program }) => program), ...looked.programs],
    files,
    unbound: looked.unbound,
    startup: looked.startup,
  };
}

/** As written: the outermost program with every word it was given, and the innermost one named so that the launcher can pin it too. */
function requestedOf(argv: Argv, inner: Step | null, outer: readonly Outer[], context: LookContext): Step | null {
  const program = lookUp(argv[0], context);
  if (program === null) return null;
  const last = outer.at(-1);
  if (inner?.kind !== "command" || last === undefined || isMultiplexer(last.name)) {
    return { kind: "command", program, argv, cwd: context.cwd, script: null, carried: null, interpreters: [] };
  }
  const offset = argv.length - inner.argv.length;
  const carried = { index: offset, program: inner.program };
  const script = inner.script === null ? null : { index: inner.script.index + offset, path: inner.script.path };
  return { kind: "command", program, argv, cwd: context.cwd, script, carried, interpreters: inner.interpreters };
}

function lookIntoText(argv: Argv, use: Extract<ShellUse, { kind: "text" }>, context: LookContext): Result<Looked, Stop> {
  const name = programName(argv[0]);
  if (use.how.odd !== null)
    return closed(argv, argv, context, `${quoted(`${name} ${use.how.odd}`)} changes what its text does, or is not understood`);
  if (context.depth >= WRAPPER_DEPTH_MAX) return closed(argv, argv, context, TOO_DEEP, TOO_DEEP);
  const shell = plainCommand(argv, context);
  if (!shell.ok) return shell;
  const program = lookUp(argv[0], context);
  if (program !== null && !isTrusted(program, name, context.machine)) return closed(argv, argv, context, stranger(argv[0], name));
  const carried = carriedByPosition(use.text, use.positional);
  if (carried !== null && isBuiltin(carried[0], name))
    return closed(argv, argv, context, `${quoted(name)} carries ${quoted(carried[0])}, which is part of the shell`);
  if (carried !== null && !isPlain(carried))
    return closed(argv, argv, context, `${quoted(name)} carries ${quoted(carried[0])}, which starts further commands`);
  const inside = carried === null ? readText(use, name, context) : carriedCommand(carried, context);
  if (!inside.ok) return fail(inside.failure.kind === "denial" ? inside.failure : { ...inside.failure, programs: shell.value.programs });
  const startup = use.how.startup === null ? null : `${quoted(`${name} ${use.how.startup}`)} reads start-up files first`;
  const read = startupFiles(name, use.how);
  const segments = inside.value.segments.map((segment) => ({
    ...segment,
    written: argv,
    wrappers: [name, ...segment.wrappers],
    never: segment.never ?? startup ?? (inside.value.needsShell ? `${quoted(name)} would end this text early` : null),
  }));
  return ok({
    segments,
    judged: inside.value.judged,
    requested: shell.value.requested,
    programs: [...shell.value.programs, ...inside.value.programs],
    files: inside.value.files.map(({ index, path }) => ({ index: index < 0 ? index : use.at, path })),
    unbound: inside.value.unbound,
    startup: [...(read === null ? [] : [read]), ...inside.value.startup],
  });
}

type Inside = Looked & { readonly needsShell: boolean };

function readText(use: Extract<ShellUse, { kind: "text" }>, shell: string, context: LookContext): Result<Inside, Stop> {
  const chain = context.readText(use.text, shell, { ...context, depth: context.depth + 1 });
  if (!chain.ok) return chain;
  const { operators } = chain.value;
  // With -e a failing command ends the text, which only matters where another would follow unasked; pipefail only where there is a pipe.
  const early = use.how.errexit && operators.some((operator) => operator === ";" || operator === "&");
  const needsShell = early || (use.how.pipefail && operators.includes("|"));
  return ok({ ...chain.value, needsShell });
}

/** What positions carry must be a plain program: a wrapper or a shell behind `"$@"` is one disguise too many. */
function isPlain(carried: Argv): boolean {
  return unwrapOne(carried).kind === "not-wrapper" && shellUse(carried) === null && packageRunner(carried) === null;
}

function carriedCommand(carried: Argv, context: LookContext): Result<Inside, Stop> {
  const looked = plainCommand(carried, context);
  return looked.ok ? ok({ ...looked.value, needsShell: false }) : looked;
}

function lookIntoRunner(argv: Argv, use: RunnerUse, context: LookContext): Result<Looked, Stop> {
  if (context.depth >= WRAPPER_DEPTH_MAX) return closed(argv, argv, context, TOO_DEEP, TOO_DEEP);
  const runner = plainCommand(argv, context);
  if (!runner.ok) return runner;
  const local = use.fetches ? null : localProgram(use.argv[0], context);
  const inner = leafOf(use.argv, context, local);
  if (!inner.ok) return fail({ kind: "denial", denial: inner.failure });
  const why =
    use.fetches || local === null
      ? `${quoted(use.runner)} would fetch ${quoted(use.argv[0])}`
      : use.plain
        ? null
        : `${quoted(use.runner)} has options that are not looked through`;
  const offset = argv.length - use.argv.length;
  const { segment, programs, files, unbound } = inner.value;
  const step: Step = local === null ? { kind: "nothing" } : fromLeaf(inner.value, context).judged;
  return ok({
    segments: [
      { ...segment, written: argv, wrappers: [use.runner], never: segment.never ?? why, storable: segment.storable && why === null },
    ],
    judged: step,
    requested: runner.value.requested,
    programs: [...runner.value.programs, ...programs],
    files: files.map(({ index, path }) => ({ index: index < 0 ? index : index + offset, path })),
    unbound: [...unbound, ...(local === null ? [`the package that ${quoted(use.runner)} fetches for ${quoted(use.argv[0])}`] : [])],
    startup: [],
  });
}

/** `node_modules/.bin` of the working directory, or of the nearest directory above that has the program. */
function localProgram(word: string, context: LookContext): Program | null {
  if (!/^[\w.@+-]+$/.test(word) || word.startsWith(".")) return null;
  for (let directory = context.cwd; ; directory = parentOf(directory)) {
    const found = context.machine.program(resolvePath(directory, "node_modules", ".bin", word), context.cwd);
    if (typeof found === "object") return found;
    if (directory === "/") return null;
  }
}
