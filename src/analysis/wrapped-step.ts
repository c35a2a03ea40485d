import { baseName, parentOf } from "../core/absolute-path.ts";
import { type Argv, toArgv } from "../core/argv.ts";
import type { Machine, Program } from "./machine.ts";
import { programName } from "./program-name.ts";
import type { CommandStep, Step } from "./step.ts";
import { distributes, isEnv, isMultiplexer } from "./wrappers.ts";

/** Puts judged commands back under the transparent wrappers around them, with every program named by its absolute path. */

const SYSTEM_DIRECTORIES: ReadonlySet<string> = new Set(["/bin", "/usr/bin", "/sbin", "/usr/sbin"]);

/** A wrapper is started, so its name alone is not enough: the file must be one that the command's own user cannot have put there. */
export function isTrusted(program: Program, name: string, machine: Machine): boolean {
  const settled = SYSTEM_DIRECTORIES.has(parentOf(program.realPath)) || !machine.childCanChange(program.realPath);
  return settled && (program.linksAreRoots || programName(baseName(program.realPath)) === name);
}

interface Outer {
  readonly name: string;
  readonly argv: Argv;
  readonly program: Program;
}

/** `null` when several commands lie inside and one of the wrappers cannot be put around each of them instead. */
export function wrapStep(outer: readonly Outer[], inner: Argv, step: Step): Step | null {
  const started = outer.filter(({ name }) => !isDropped(name));
  return started.length === 0 ? step : wrapEach(started, prefixOf(outer, inner), step);
}

function wrapEach(outer: readonly Outer[], prefix: Argv, step: Step): Step | null {
  switch (step.kind) {
    case "nothing":
      return step;
    case "command":
      return around(outer, prefix, step);
    case "chain": {
      if (!outer.every(({ name }) => distributes(name))) return null;
      const parts = [];
      for (const part of step.parts) {
        const inside = wrapEach(outer, prefix, part.step);
        if (inside === null) return null;
        parts.push({ ...part, step: inside });
      }
      return { kind: "chain", parts };
    }
  }
}

/**
 * What an applet's name resolves to is started itself, without the multiplexer. A bare `env` changes nothing, and would take an inner path
 * with `=` in it for an assignment.
 */
function isDropped(name: string): boolean {
  return isEnv(name) || isMultiplexer(name);
}

/** The wrappers' own words, each program but the first by its absolute path; what is dropped goes with the words that belong to it. */
function prefixOf(outer: readonly Outer[], inner: Argv): Argv {
  const first = outer.find(({ name }) => !isDropped(name));
  const words = outer.flatMap((wrapper, index) => {
    const { name, argv, program } = wrapper;
    if (isDropped(name)) return [];
    const next = outer[index + 1]?.argv ?? inner;
    return [wrapper === first ? argv[0] : program.linkPath, ...argv.slice(1, argv.length - next.length)];
  });
  return toArgv(words) ?? inner;
}

function around(outer: readonly Outer[], prefix: Argv, step: CommandStep): CommandStep {
  const [first] = outer;
  if (first === undefined) return step;
  const argv: Argv = [...prefix, step.program.linkPath, ...step.argv.slice(1)];
  const shift = prefix.length;
  const carried =
    step.carried === null ? { index: shift, program: step.program } : { index: shift + step.carried.index, program: step.carried.program };
  const script = step.script === null ? null : { index: shift + step.script.index, path: step.script.path };
  return { kind: "command", program: first.program, argv, cwd: step.cwd, script, carried, interpreters: step.interpreters };
}
