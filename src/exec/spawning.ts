/** Starts processes: at once while few are under way, and beside the loop in a crowd, which then goes on serving the others. */
import type { Denial } from "../core/denial.ts";
import { SPAWNS_BESIDE_MAX } from "../core/limits.ts";
import type { Native, SpawnOutcome, SpawnRequest } from "../native/native.ts";
import type { ChildLimit } from "./child-limit.ts";
import type { Reaper } from "./reaper.ts";
import type { Manner, Started } from "./run-streams.ts";

export interface Spawning {
  /** A promise is of something that cannot be taken back: everything in the request must stay open until it answers. */
  start(request: SpawnRequest, manner: Manner): Spawned | Promise<Spawned>;
  /**
   * Resolves when everybody who is being started beside us by now is a program of its own: until then it has copies of all our descriptors.
   * `null` when nobody is.
   */
  allBorn(): Promise<unknown> | null;
}

export type Spawned = Started | Denial | { readonly errno: number };

export interface SpawningParts {
  readonly native: Native;
  readonly reaper: Reaper;
  readonly limit: ChildLimit;
  /** Whether a start that holds up the loop would hold up many. */
  readonly isCrowded: () => boolean;
}

export function createSpawning({ native, reaper, limit, isCrowded }: SpawningParts): Spawning {
  /** Bounded by the calls that may be under way. */
  const waiting: (() => void)[] = [];
  const unborn = new Set<Promise<unknown>>();
  let beside = 0;

  function known(outcome: SpawnOutcome): Spawned {
    return "errno" in outcome ? outcome : { pid: outcome.pid, ended: reaper.ended(outcome.pid) };
  }

  /**
   * A mark that the child is born with is ours for that moment, and whoever starts on another thread would be born with it as well: then
   * each is marked when it is there, and only what it forks in its first moments has no mark.
   */
  function marked(outcome: SpawnOutcome, mark: number): SpawnOutcome {
    if ("pid" in outcome) native.mark(outcome.pid, mark);
    return outcome;
  }

  function startAtOnce(request: SpawnRequest, { mark, objection }: Manner): Spawned {
    const why = objection();
    if (why !== null) return why;
    const spawn = (): SpawnOutcome => limit.during(() => native.spawn(request));
    if (beside > 0) return known(marked(spawn(), mark));
    const unmark = native.wear(mark);
    try {
      return known(spawn());
    } finally {
      unmark();
    }
  }

  async function startBeside(request: SpawnRequest, manner: Manner): Promise<Spawned> {
    // The pool has few threads, and whoever waits for the disk needs one of them as well.
    if (beside >= SPAWNS_BESIDE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
    else beside += 1;
    try {
      return await startOnThePool(request, manner);
    } finally {
      const next = waiting.shift();
      if (next === undefined) beside -= 1;
      else next();
    }
  }

  async function startOnThePool(request: SpawnRequest, manner: Manner): Promise<Spawned> {
    const leave = limit.enter();
    if (leave === null) return startAtOnce(request, manner);
    const isKnown = reaper.expect();
    try {
      return manner.objection() ?? known(marked(await born(native.spawnBeside(request)), manner.mark));
    } finally {
      isKnown();
      leave();
    }
  }

  async function born(spawning: Promise<SpawnOutcome>): Promise<SpawnOutcome> {
    const isOver = spawning.catch(() => undefined);
    unborn.add(isOver);
    try {
      return await spawning;
    } finally {
      unborn.delete(isOver);
    }
  }

  return {
    start(request, manner) {
      // Who we are is a matter of the thread, and the pool's threads are the daemon.
      const mayBeBeside = manner.how === "may-be-beside" && request.credentials === undefined;
      return mayBeBeside && isCrowded() ? startBeside(request, manner) : startAtOnce(request, manner);
    },
    allBorn: () => (unborn.size === 0 ? null : Promise.all(unborn)),
  };
}
