import { type AbsolutePath, baseName } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import type { Denial } from "../core/denial.ts";
import { ok, type Result } from "../core/result.ts";
import { carriedBy, unseenBy } from "./carriers.ts";
import type { Segment } from "./command-plan.ts";
import { inlineEvalOf } from "./inline-eval.ts";
import { interpreterNamed } from "./interpreters.ts";
import type { Machine, Program } from "./machine.ts";
import { type BoundFile, operandsOf } from "./operands.ts";
import { programName } from "./program-name.ts";
import { quoted } from "./quoted.ts";
import { shebangChain } from "./shebang.ts";
import { isShellName } from "./shells.ts";
import { argumentInState } from "./state-directory.ts";
import { isMultiplexer, unwrapOne } from "./wrappers.ts";

/** A simple command that is not looked into any further, with everything that judging and binding it needs. */
export interface Leaf {
  readonly segment: Segment;
  /** The program and what its `#!` line starts, in order. */
  readonly programs: readonly Program[];
  readonly files: readonly BoundFile[];
  readonly unbound: readonly string[];
}

export interface LeafContext {
  readonly machine: Machine;
  readonly cwd: AbsolutePath;
  readonly piped: boolean;
}

export function leafOf(argv: Argv, context: LeafContext, found: Program | null = lookUp(argv[0], context)): Result<Leaf, Denial> {
  const { machine, cwd, piped } = context;
  const known = found === null ? argv : identityOf(argv, found);
  const operands = operandsOf(known, cwd, machine, piped, argv);
  if (!operands.ok) return operands;
  const chain = found === null ? ok({ interpreters: [], unbound: [] }) : shebangChain(found, cwd, machine);
  if (!chain.ok) return chain;
  const carries = carriedBy(argv) ?? (known === argv ? null : (aliasOf(known) ?? carriedBy(known)));
  const never = neverOf(argv, found, operands.value.script?.path ?? null, context);
  const segment: Segment = {
    written: argv,
    argv,
    cwd,
    program: found,
    operator: null,
    wrappers: [],
    script: operands.value.script,
    never,
    storable: never === null,
    carries,
    inlineEval: inlineEvalOf(argv) ?? inlineEvalOf(known),
  };
  const programs = found === null ? [] : [found, ...chain.value.interpreters];
  const unseen = operands.value.unbound.length > 0 ? null : (unseenBy(argv) ?? unseenBy(known));
  const unbound = [...operands.value.unbound, ...chain.value.unbound, ...(unseen === null ? [] : [unseen])];
  return ok({ segment, programs, files: operands.value.files, unbound });
}

export function lookUp(word: string, { machine, cwd }: LeafContext): Program | null {
  if (word === "" || word.includes("\0")) return null;
  const found = machine.program(word, cwd);
  return typeof found === "object" ? found : null;
}

/**
 * A link with another name is what it points at: `./py → python3` runs Python. A multiplexer goes by the name it is called with, and so
 * does anything whose own name we know better than the file's.
 */
function identityOf(argv: Argv, program: Program): Argv {
  const called = programName(argv[0]);
  const real = programName(baseName(program.realPath));
  if (called === real || isMultiplexer(real) || interpreterNamed(called) !== null || isShellName(called)) return argv;
  return [real, ...argv.slice(1)];
}

function aliasOf(known: Argv): string | null {
  const wrapper = unwrapOne(known);
  if (wrapper.kind !== "not-wrapper") return `it is really ${quoted(wrapper.wrapper)}`;
  return isShellName(known[0]) ? `it is really ${quoted(known[0])}` : null;
}

/** As npm installs it: the program that people call is a link to this. */
const OURSELVES = /\/node_modules\/countersign\//;

/** What would give a command power over the very thing that judges it, or more power than the child has. */
function neverOf(argv: Argv, program: Program | null, script: AbsolutePath | null, { machine, cwd }: LeafContext): string | null {
  const names = [programName(argv[0]), ...(program === null ? [] : [programName(program.realPath)])];
  const files = [...(program === null ? [] : [program.realPath]), ...(script === null ? [] : [script])];
  if (names.includes("countersign") || files.some((file) => OURSELVES.test(file)))
    return "`countersign` does not start itself on a list's word";
  if (program?.setId === true)
    return `${quoted(program.realPath)} is set-id: it runs with the rights of the file's owner, and somebody has to agree`;
  const state = argumentInState(argv, cwd, machine);
  return state === null ? null : `${quoted(state)} leads into the state directory`;
}
