/** Runs a tree of steps as sh would, with no shell: pipes between commands, and `&& || ; &` decided on exit codes. */
import { closeSync } from "node:fs";
import type { ChainPart, ChainStep, CommandStep, Step } from "../analysis/step.ts";
import type { ChildStatus } from "../native/native.ts";
import type { Ends, Pipe } from "./run-streams.ts";
import { signalNumber } from "./signals.ts";

export interface ChainWorld {
  /** Answers when the process has ended. `begun` is called when it has its own copies of the ends, or will never be there. */
  start(step: CommandStep, ends: Ends, begun: () => void): Promise<ChildStatus>;
  /** Told of every list that nobody waits for. */
  inBackground(running: Promise<unknown>): void;
  pipe(): Pipe;
  readonly nothing: number;
  /** Nothing more may be started: the run is being ended. */
  isEnding(): boolean;
  /** A part of it cannot even be tried, so that the whole of it would be something else: ends the run. */
  giveUp(why: unknown): void;
}

const SUCCESS: ChildStatus = { exitCode: 0, signal: null };
/** SIGTERM: what is said of a run that is being ended, where a shell in our place would have got the signal with its commands. */
const ENDED: ChildStatus = { exitCode: null, signal: signalNumber("SIGTERM") };

/** Told as soon as nothing more will be started on an end, however it went; perhaps more than once. */
interface Grip {
  letGoOfInput(): void;
  letGoOfAll(): void;
}

const NOBODYS: Grip = { letGoOfInput: () => undefined, letGoOfAll: () => undefined };

export async function runStep(step: Step, ends: Ends, world: ChainWorld, grip: Grip = NOBODYS): Promise<ChildStatus> {
  switch (step.kind) {
    case "nothing":
      grip.letGoOfAll();
      return SUCCESS;
    case "command":
      return runCommand(step, ends, world, grip);
    case "chain": {
      const { counting, leave } = untilTheLastList(world, grip);
      const isOver = (): void => {
        // What goes on in the background reads nothing. Whoever writes to this end must hear that nobody will read any more.
        grip.letGoOfInput();
        leave();
      };
      const status = asShellWould(await runChain(step, ends, counting).finally(isOver));
      return world.isEnding() ? ENDED : status;
    }
  }
}

async function runCommand(step: CommandStep, ends: Ends, world: ChainWorld, grip: Grip): Promise<ChildStatus> {
  if (world.isEnding()) {
    grip.letGoOfAll();
    return ENDED;
  }
  try {
    return await world.start(step, ends, () => grip.letGoOfAll());
  } catch (error) {
    grip.letGoOfAll();
    throw error;
  }
}

/**
 * A list in the background goes on starting commands on the chain's ends when the chain itself is over, as the children of a shell that has
 * exited do. Closed before that, their numbers would be the next file's or connection's, and the command would get that one.
 */
function untilTheLastList(world: ChainWorld, grip: Grip): { readonly counting: ChainWorld; readonly leave: () => void } {
  let running = 1;
  const leave = (): void => {
    running -= 1;
    if (running === 0) grip.letGoOfAll();
  };
  const inBackground = (list: Promise<unknown>): void => {
    running += 1;
    world.inBackground(list);
    list.then(leave, leave);
  };
  return { counting: { ...world, inBackground }, leave };
}

/** A shell ends with a code of its own when its last command died of a signal, POSIX 2.8.2. */
function asShellWould({ exitCode, signal }: ChildStatus): ChildStatus {
  return signal === null ? { exitCode, signal } : { exitCode: 128 + signal, signal: null };
}

async function runChain(chain: ChainStep, ends: Ends, world: ChainWorld): Promise<ChildStatus> {
  let status = SUCCESS;
  for (const list of splitAfter(chain.parts, [";", "&"])) {
    if (list.at(-1)?.operator !== "&") {
      status = await runAndOr(list, ends, world);
      continue;
    }
    // POSIX 2.9.3.1: a list in the background reads nothing.
    const running = runAndOr(list, { ...ends, stdin: world.nothing }, world);
    world.inBackground(running.catch((error: unknown) => world.giveUp(error)));
    status = SUCCESS;
  }
  return status;
}

/** `a && b || c`: from left to right, with equal weight. */
async function runAndOr(parts: readonly ChainPart[], ends: Ends, world: ChainWorld): Promise<ChildStatus> {
  let status = SUCCESS;
  let before: ChainPart["operator"] = null;
  for (const pipeline of splitAfter(parts, ["&&", "||"])) {
    const isWanted = before === null || (before === "&&") === (status.exitCode === 0);
    if (isWanted) status = await runPipeline(pipeline, ends, world);
    before = pipeline.at(-1)?.operator ?? null;
  }
  return status;
}

/** All at once, joined by real pipes; the last one's status counts, and all are waited for. */
async function runPipeline(parts: readonly ChainPart[], ends: Ends, world: ChainWorld): Promise<ChildStatus> {
  if (world.isEnding()) return ENDED;
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return runStep(only.step, ends, world);
  const running: Promise<ChildStatus>[] = [];
  let failure: { readonly error: unknown } | null = null;
  const fail = (error: unknown): ChildStatus => {
    failure ??= { error };
    world.giveUp(error);
    return ENDED;
  };
  let stdin = ends.stdin;
  try {
    for (const [index, { step }] of parts.entries()) {
      const pipe = index === parts.length - 1 ? null : pipeAfter(world, index > 0 ? stdin : null);
      const member = { stdin, stdout: pipe?.writeEnd ?? ends.stdout };
      running.push(runMember(step, member, world, index > 0 ? stdin : null, pipe?.writeEnd ?? null).catch(fail));
      stdin = pipe?.readEnd ?? stdin;
    }
  } catch (error) {
    fail(error);
  }
  // All of them, also when one failed: whoever is forgotten here would go on starting commands that nobody waits for.
  const statuses = await Promise.all(running);
  throwIfAny(failure);
  return statuses.at(-1) ?? SUCCESS;
}

function throwIfAny(failure: { readonly error: unknown } | null): void {
  if (failure !== null) throw failure.error;
}

/** Where there is none to be had, the end of the last one has nobody who would close it. */
function pipeAfter(world: ChainWorld, readEnd: number | null): Pipe {
  try {
    return world.pipe();
  } catch (error) {
    if (readEnd !== null) closeSync(readEnd);
    throw error;
  }
}

/** Our own ends stay open only as long as something may still be started on them: a reader must see the end when its writer has gone. */
function runMember(step: Step, ends: Ends, world: ChainWorld, readEnd: number | null, writeEnd: number | null): Promise<ChildStatus> {
  const open = new Set([readEnd, writeEnd]);
  const letGoOf = (fd: number | null): void => {
    // First off the list: a number that is closed twice may be somebody else's by then.
    if (open.delete(fd) && fd !== null) closeSync(fd);
  };
  return runStep(step, ends, world, {
    letGoOfInput: () => letGoOf(readEnd),
    letGoOfAll() {
      letGoOf(readEnd);
      letGoOf(writeEnd);
    },
  });
}

/** Cuts behind every part that is joined to the next by one of these. */
function splitAfter(parts: readonly ChainPart[], operators: readonly ChainPart["operator"][]): readonly (readonly ChainPart[])[] {
  const groups: ChainPart[][] = [[]];
  for (const [index, part] of parts.entries()) {
    groups.at(-1)?.push(part);
    if (operators.includes(part.operator) && index < parts.length - 1) groups.push([]);
  }
  return groups;
}
