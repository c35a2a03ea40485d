/** Starts what is held, and nothing else: the last gate of the road, where a verified command becomes processes. */

import { quoted } from "../analysis/quoted.ts";
import type { CommandStep } from "../analysis/step.ts";
import { isVerified, type VerifiedExec } from "../binding/verify.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ChildStatus } from "../native/native.ts";
import { SystemError } from "../native/system-error.ts";
import type { EnforcementLevel } from "../policy/exec-settings.ts";
import { errnoOf } from "../store/io-denial.ts";
import { type ChainWorld, runStep } from "./chain.ts";
import type { StartContext } from "./command-start.ts";
import { namedOf } from "./escaped.ts";
import type { Finished, LaunchIo, Unfinished } from "./exec-host.ts";
import { heldBehind } from "./held.ts";
import { type LivingRun, type LivingRuns, RUN_MARKER } from "./living-runs.ts";
import { planStarts, type Starts } from "./plan-starts.ts";
import type { ProcessTree } from "./process-tree.ts";
import type { Recheck } from "./recheck.ts";
import type { Ends, RunStreams, Started } from "./run-streams.ts";
import { signalName } from "./signals.ts";
import { spawnDenial } from "./spawn-denial.ts";
import type { Start } from "./start.ts";
import { type Ending, type Outcome, type Supervision, supervise } from "./supervise.ts";

export interface LaunchParts extends Pick<StartContext, "directoryLevel" | "copyOf"> {
  readonly runs: LivingRuns;
  readonly tree: ProcessTree;
  readonly recheck: Recheck;
  /** Every run under way, so that stopping can end them. */
  readonly supervised: Set<Supervision>;
  /** Every launch of which no process has begun yet. */
  readonly beginning: Set<object>;
  openStreams(io: LaunchIo): RunStreams;
}

export async function launch(verified: VerifiedExec, io: LaunchIo, parts: LaunchParts): Promise<Result<Finished, Unfinished>> {
  const place = { verified };
  parts.beginning.add(place);
  try {
    return await launchFrom(verified, io, parts, () => parts.beginning.delete(place));
  } finally {
    parts.beginning.delete(place);
  }
}

async function launchFrom(
  verified: VerifiedExec,
  io: LaunchIo,
  parts: LaunchParts,
  hasBegun: () => void,
): Promise<Result<Finished, Unfinished>> {
  if (!isVerified(verified)) throw new Error("something that verify() did not make reached launch()");
  const held = heldBehind(verified.evidence);
  if (held === undefined) throw new Error("what was to be started is not held any more");
  const starts = planStarts(
    verified,
    { environment: environmentOf(verified), held, directoryLevel: parts.directoryLevel, copyOf: parts.copyOf },
    io.minEnforcement,
  );
  if (!starts.ok) return starts;
  try {
    const streams = parts.openStreams(io);
    // Up to here everything can be done while the disk still works on it.
    const objection = await objectionToStart(io).catch((error: unknown) => {
      streams.abandon();
      throw error;
    });
    if (objection === null) return await runStarts(verified, starts.value, streams, io, parts, hasBegun);
    streams.abandon();
    return fail(objection);
  } catch (error) {
    // Out of descriptors or memory before anything was started.
    if (error instanceof SystemError) return fail(spawnDenial(error.code, verified.evidence.executable.path));
    throw error;
  } finally {
    starts.value.release();
  }
}

async function objectionToStart({ mayStart, signal }: LaunchIo): Promise<Denial | null> {
  const allowed = await mayStart;
  if (!allowed.ok) return allowed.failure;
  return signal.aborted ? CANCELLED : null;
}

/** Why launch() would refuse to start this at such a level: asked before anything is used up for it. */
export function objectionToLaunch(verified: VerifiedExec, minEnforcement: EnforcementLevel, parts: LaunchParts): Denial | null {
  const held = heldBehind(verified.evidence);
  if (held === undefined) throw new Error("what was to be started is not held any more");
  const starts = planStarts(
    verified,
    { environment: environmentOf(verified), held, directoryLevel: parts.directoryLevel, copyOf: parts.copyOf },
    minEnforcement,
  );
  if (!starts.ok) return starts.failure;
  starts.value.release();
  return null;
}

function environmentOf(verified: VerifiedExec): readonly string[] {
  return [...[...verified.environment].map(([name, value]) => `${name}=${value}`), `${RUN_MARKER}=${verified.runId}`];
}

async function runStarts(
  verified: VerifiedExec,
  starts: Starts,
  streams: RunStreams,
  io: LaunchIo,
  parts: LaunchParts,
  hasBegun: () => void,
): Promise<Result<Finished, Unfinished>> {
  const run = parts.runs.open(verified.runId);
  const startedAt = performance.now();
  const supervision = supervise(run, streams, parts.tree, io);
  const starter = createStarter(starts, run, streams, supervision, parts);
  const world: ChainWorld = {
    start: (step, ends, begun) =>
      starter.start(step, ends, () => {
        hasBegun();
        begun();
      }),
    inBackground: (running) => supervision.inBackground(running),
    pipe: () => streams.pipe(),
    nothing: streams.nothing,
    isEnding: () => !supervision.mayStart(),
    giveUp: (why) => starter.giveUp(spawnDenial(errnoOf(why) ?? "unknown error", verified.evidence.executable.path)),
  };
  const failed = (why: unknown): ChildStatus => {
    // What the machine refused us ends the run. Anything else is a fault of ours.
    if (errnoOf(why) === null) throw why;
    world.giveUp(why);
    return CANNOT_START;
  };
  parts.supervised.add(supervision);
  let outcome: Outcome;
  try {
    outcome = await supervision.finish(runStep(verified.step, { stdin: streams.stdin, stdout: "output" }, world).catch(failed));
  } finally {
    // Whatever a start rests on stays until the start is over, and so does the run.
    if (parts.runs.isStarting(run)) await parts.tree.end(run);
    parts.supervised.delete(supervision);
    parts.runs.close(run);
  }
  const { status, escaped } = outcome;
  const refusal = await starter.refusal();
  const finished: Finished = {
    exitCode: status.exitCode,
    signal: status.signal === null ? null : signalName(status.signal),
    timedOut: supervision.ending() === "timeout",
    cancelled: supervision.ending() === "cancel",
    durationMs: Math.round(performance.now() - startedAt),
    enforcement: starts.level,
    escaped,
  };
  if (refusal === null) return ok(finished);
  return fail(starter.hasStarted() ? { ...halfway(refusal, escaped), ended: finished } : refusal);
}

/** Whoever is told to try again must know that a part of it has been tried. */
function halfway({ code, details }: Denial, escaped: Finished["escaped"]): Denial {
  const { file } = details;
  const what =
    code === "exec.changed-after-start" && typeof file === "string" ? `${quoted(file)} changed` : "a part of this could not be started";
  const rest = escaped.length === 0 ? "what had started was ended" : "not all of what had started could be ended";
  return denial(code, `${what}, and ${rest}; look at what it did before you ask again`, {
    ...details,
    started: true,
    escaped: namedOf(escaped),
  });
}

/** A start may have had to wait for another's, and meanwhile for nobody. */
function endedBefore(ending: Ending | null): Denial {
  return ending === "timeout"
    ? denial("exec.timed-out", "its time was over before it started; give it more or try again later")
    : CANCELLED;
}

const CANCELLED = denial("exec.cancelled", "the run was cancelled before it started");

/** 126, as sh says of a command that it found and could not start. */
const CANNOT_START: ChildStatus = { exitCode: 126, signal: null };

interface Starter {
  start(step: CommandStep, ends: Ends, begun: () => void): Promise<ChildStatus>;
  /** The run ends, and is refused: a part of it could not be tried. */
  giveUp(why: Denial): void;
  hasStarted(): boolean;
  /** Nothing ran, or what ran was not what was approved. A part of a chain that could not start is the chain's own affair. */
  refusal(): Promise<Denial | null>;
}

function createStarter(starts: Starts, run: LivingRun, streams: RunStreams, supervision: Supervision, parts: LaunchParts): Starter {
  let changed: Denial | null = null;
  let unstarted: Denial | null = null;
  let hasStarted = false;
  const late: Promise<void>[] = [];

  function object(why: Denial | null): void {
    if (why === null) return;
    changed ??= why;
    supervision.end("changed");
  }

  function cannotStart(why: Denial): ChildStatus {
    if (why.code === "exec.changed-after-start") object(why);
    else if (hasStarted && supervision.mayStart()) streams.complain(why.message);
    unstarted ??= why;
    return CANNOT_START;
  }

  function follow(start: Start, started: Started | Denial): Promise<ChildStatus> {
    if (!("pid" in started)) return Promise.resolve(cannotStart(started));
    hasStarted = true;
    parts.runs.started(run, started.pid);
    supervision.joined();
    object(parts.recheck.objectionTo(start));
    if (start.watched.length > 0) late.push(parts.recheck.lateObjectionTo(start).then(object));
    void started.ended.then(() => parts.runs.ended(run, started.pid));
    return started.ended;
  }

  return {
    hasStarted: () => hasStarted,
    giveUp(why) {
      // What is being ended already has its reason.
      if (supervision.ending() === null) object(why);
    },
    async refusal() {
      // A command that is quicker than the second look does not escape it.
      if (late.length > 0) await Promise.all(late);
      if (changed !== null || hasStarted) return changed;
      return unstarted ?? (supervision.ending() === null ? null : endedBefore(supervision.ending()));
    },
    start(step, ends, begun) {
      const start = starts.of(step);
      // What must be looked at right before and right after the start is started in between.
      const how = start.watched.length === 0 ? "may-be-beside" : "at-once";
      const objection = (): Denial | null =>
        supervision.mayStart() ? parts.recheck.objectionTo(start) : endedBefore(supervision.ending());
      const started = streams.start(start, ends, { how, mark: run.mark, objection });
      if (!(started instanceof Promise)) {
        begun();
        return follow(start, started);
      }
      const isKnown = parts.runs.starting(run);
      const following = started.then((outcome) => follow(start, outcome));
      // Known by now, or not there at all: either way nobody is being started any more.
      void started.finally(begun).then(isKnown, isKnown);
      return following;
    },
  };
}
