import { type AbsolutePath, resolvePath } from "../core/absolute-path.ts";
import { denial } from "../core/denial.ts";
import { SEGMENTS_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Segment } from "./command-plan.ts";
import { lookThrough } from "./look-through.ts";
import type { Chain, LookContext, Looked, Stop } from "./looked.ts";
import { quoted } from "./quoted.ts";
import { refusal } from "./refusal.ts";
import { readShellText } from "./shell-text.ts";
import { isBuiltin } from "./shell-words.ts";
import type { ChainPart, Operator, Step } from "./step.ts";
import type { SimpleCommand } from "./tokenize.ts";

/** Reads a whole text and sees through each of its commands. */
export function readChain(text: string, shell: string, context: LookContext): Result<Chain, Stop> {
  const read = readTextOf(shell, text);
  if (!read.ok) return fail({ kind: "refusal", refusal: read.failure, programs: [] });
  const moved = leadingMoves(read.value, context);
  if (!moved.ok) return moved;
  const links: { readonly looked: Looked; readonly operator: Operator | null }[] = [];
  let piped = context.piped;
  for (const command of moved.value.rest) {
    const looked = lookAtCommand(command, shell, { ...context, cwd: moved.value.cwd, piped });
    if (!looked.ok) return looked;
    links.push({ looked: looked.value, operator: command.operator });
    piped = context.piped || command.operator === "|";
  }
  const segments = links.flatMap(({ looked, operator }) => withOperator(looked.segments, operator));
  if (segments.length > SEGMENTS_MAX) return fail({ kind: "refusal", refusal: refusal("too-many-commands", text, 0), programs: [] });
  const everyRequested = links.flatMap(({ looked, operator }) => (looked.requested === null ? [] : [{ step: looked.requested, operator }]));
  return ok({
    segments,
    judged: joined(links.map(({ looked, operator }) => ({ step: looked.judged, operator }))),
    requested: everyRequested.length === links.length ? joined(everyRequested) : null,
    programs: links.flatMap(({ looked }) => looked.programs),
    files: links.flatMap(({ looked }) => looked.files),
    unbound: links.flatMap(({ looked }) => looked.unbound),
    startup: links.flatMap(({ looked }) => looked.startup),
    operators: moved.value.rest.flatMap(({ operator }) => (operator === null ? [] : [operator])),
  });
}

/**
 * What fish(1) reads in its own way, inside quotes or out of them: a backslash, an `&` inside a word, `%self`, and what braces and `^` have
 * meant in one version or another.
 */
const OWN_TO_FISH = /[\\%^{}]|(?<!&)&(?!&)/;

export function readTextOf(shell: string, text: string): ReturnType<typeof readShellText> {
  const read = readShellText(text);
  const own = read.ok && shell === "fish" ? OWN_TO_FISH.exec(text) : null;
  return own === null ? read : fail(refusal("shell-dialect", text, own.index));
}

function joined(parts: readonly ChainPart[]): Step {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 && only.operator === null ? only.step : { kind: "chain", parts };
}

function withOperator(segments: readonly Segment[], operator: Operator | null): readonly Segment[] {
  return segments.map((segment, index) => (index === segments.length - 1 ? { ...segment, operator } : segment));
}

function lookAtCommand({ argv }: SimpleCommand, shell: string, context: LookContext): Result<Looked, Stop> {
  const [name] = argv;
  if (name === ":") return ok({ ...EMPTY, segments: [], judged: NOTHING, requested: NOTHING });
  if (!isBuiltin(name, shell)) return lookThrough(argv, context);
  const never = `${quoted(name)} is part of the shell, and no program does what it does`;
  const segment: Segment = {
    written: argv,
    argv,
    cwd: context.cwd,
    program: null,
    operator: null,
    wrappers: [],
    script: null,
    never,
    storable: false,
    carries: null,
    inlineEval: null,
  };
  return ok({ ...EMPTY, segments: [segment], judged: NOTHING, requested: null });
}

const NOTHING: Step = { kind: "nothing" };
const EMPTY = { programs: [], files: [], unbound: [], startup: [] } as const;

interface Moved {
  readonly cwd: AbsolutePath;
  readonly rest: readonly SimpleCommand[];
}

/**
 * Leading `cd DIR &&`: the rest is resolved and run there. Only where the list it stands in is not sent to the background, because then a
 * shell moves a copy of itself, and what follows the `&` stays where it was.
 */
function leadingMoves(commands: readonly SimpleCommand[], context: LookContext): Result<Moved, Stop> {
  const listEnd = commands.find(({ operator }) => operator === ";" || operator === "&" || operator === null)?.operator;
  let count = 0;
  while (count < commands.length - 1 && isMove(commands[count])) count += 1;
  if (listEnd === "&" || count === 0) return ok({ cwd: context.cwd, rest: commands });
  let logical = context.cwd;
  for (const { argv } of commands.slice(0, count)) {
    const target = moveTo(logical, argv[1] ?? "", context);
    if (target === null)
      return fail({
        kind: "denial",
        denial: denial("exec.cwd-invalid", `${quoted(`cd ${argv[1] ?? ""}`)} leads to no directory; name one that exists`),
      });
    logical = target;
  }
  const real = context.machine.realPath(logical);
  if (real === null)
    return fail({ kind: "denial", denial: denial("exec.cwd-invalid", `${quoted(logical)} is no directory; name one that exists`) });
  return ok({ cwd: real, rest: commands.slice(count) });
}

function isMove(command: SimpleCommand | undefined): boolean {
  if (command === undefined || command.operator !== "&&") return false;
  const [name, operand, ...more] = command.argv;
  return name === "cd" && operand !== undefined && operand !== "" && !operand.startsWith("-") && more.length === 0;
}

/** POSIX `cd` climbs `..` by name, through directories that must exist: `cd link/..` comes back to where it started. */
function moveTo(from: AbsolutePath, operand: string, { machine }: LookContext): AbsolutePath | null {
  if (operand.includes("\0")) return null;
  let at = operand.startsWith("/") ? resolvePath(from, "/") : from;
  for (const part of operand.split("/")) {
    at = resolvePath(at, part === "" ? "." : part);
    if (machine.kindOf(at) !== "directory") return null;
  }
  return at;
}
