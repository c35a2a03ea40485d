import type { CommandPlan, Refusal, Segment } from "../../src/analysis/command-plan.ts";
import type { Machine, Program } from "../../src/analysis/machine.ts";
import type { CommandStep } from "../../src/analysis/step.ts";
import { type AbsolutePath, parseAbsolutePath, resolvePath } from "../../src/core/absolute-path.ts";
import { type Argv, toArgv } from "../../src/core/argv.ts";

/** A machine that is a table: what tests of pure layers say is there, is there. */
export interface Table {
  /** By name on PATH. */
  readonly programs?: Readonly<Record<string, string>>;
  /** A link and where it leads; directories among them. */
  readonly links?: Readonly<Record<string, string>>;
  /** Paths below these can be changed by the child. */
  readonly changeable?: readonly string[];
  readonly worldWritable?: readonly string[];
  readonly home?: string;
}

export function path(text: string): AbsolutePath {
  const parsed = parseAbsolutePath(text);
  if (!parsed.ok) throw new Error(`${text} is not absolute`);
  return parsed.value;
}

export function tableMachine(table: Table = {}): Machine {
  const links = table.links ?? {};
  function real(from: AbsolutePath): AbsolutePath {
    let out = path("/");
    for (const part of from.split("/").filter((each) => each !== "")) {
      const next = resolvePath(out, part);
      const target = links[next];
      out = target === undefined ? next : real(resolvePath(out, target));
    }
    return out;
  }
  const isBelow = (where: AbsolutePath, tops: readonly string[] = []) => tops.some((top) => where === top || where.startsWith(`${top}/`));
  return {
    home: path(table.home ?? "/home/u"),
    stateDirectory: path("/home/u/.local/state/countersign"),
    program(word, cwd) {
      const found = word.includes("/") ? resolvePath(cwd, word) : table.programs?.[word];
      return found === undefined ? "not-found" : programAt(word, path(found), real, true);
    },
    kindOf: () => "file",
    realPath: (where) => real(where),
    linkText: (where) => links[where] ?? null,
    childCanChange: (where) => isBelow(real(where), table.changeable),
    inWorldWritableDirectory: (where) => isBelow(real(where), table.worldWritable),
    shebang: () => null,
  };
}

export function programAt(word: string, at: AbsolutePath, real: (path: AbsolutePath) => AbsolutePath, linksAreRoots: boolean): Program {
  const name = at.slice(at.lastIndexOf("/") + 1);
  return { word, linkPath: resolvePath(real(resolvePath(at, "..")), name), realPath: real(at), linksAreRoots };
}

/** A program that is what it is called, at one place. */
export function plainProgram(at: string, word: string = at.slice(at.lastIndexOf("/") + 1)): Program {
  return { word, linkPath: path(at), realPath: path(at), linksAreRoots: true };
}

export function segmentOf(program: Program | null, args: readonly string[] = [], over: Partial<Segment> = {}): Segment {
  const argv = argvOf([program?.word ?? "nothing", ...args]);
  return {
    written: argv,
    argv,
    cwd: path("/proj"),
    program,
    operator: null,
    wrappers: [],
    script: null,
    never: null,
    storable: true,
    carries: null,
    inlineEval: null,
    ...over,
  };
}

export function planOf(segments: readonly Segment[], over: Partial<CommandPlan> = {}): CommandPlan {
  const steps = segments.flatMap((segment) => (segment.program === null ? [] : [stepOf(segment, segment.program)]));
  const first = steps[0] ?? stepOf(segmentOf(null), plainProgram("/bin/sh"));
  return {
    argv: first.argv,
    cwd: path("/proj"),
    executable: first.program,
    nested: [],
    files: [],
    unbound: [],
    startup: [],
    analysis: { ok: true, segments, asJudged: { kind: "chain", parts: steps.map((step) => ({ step, operator: null })) } },
    asRequested: first,
    ...over,
  };
}

export function refusedPlan(weight: Refusal["weight"]): CommandPlan {
  const refusal: Refusal = { weight, reason: "redirection", message: "`>` is not read", column: 6, excerpt: "a > b", hint: "leave it out" };
  return planOf([], { analysis: { ok: false, refusal } });
}

function stepOf(segment: Segment, program: Program): CommandStep {
  return { kind: "command", program, argv: segment.argv, cwd: segment.cwd, script: null, carried: null, interpreters: [] };
}

function argvOf(words: readonly string[]): Argv {
  const argv = toArgv(words);
  if (argv === null) throw new Error("an empty argv");
  return argv;
}
