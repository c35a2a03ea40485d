/** Starts processes: at once while nobody else waits, and beside the loop in a crowd, which then goes on serving the others. */
import { SPAWNS_BESIDE_MAX } from "../core/limits.ts";
import type { Native, SpawnOutcome, SpawnRequest } from "../native/native.ts";
import type { ChildLimit } from "./child-limit.ts";
import type { Reaper } from "./reaper.ts";
import type { Started } from "./run-streams.ts";

export interface Spawning {
  /** `mark` goes with the process and all that comes from it, see Native.withMark. */
  atOnce(request: SpawnRequest, mark: number): Started | Failed;
  /** `null` where it has to be at once. Everything in the request must stay open until it has answered. */
  beside(request: SpawnRequest, mark: number): Promise<Started | Failed> | null;
}

export interface Failed {
  readonly errno: number;
}

export interface SpawningParts {
  readonly native: Native;
  readonly reaper: Reaper;
  readonly limit: ChildLimit;
  /** Whether a start that holds up the loop would hold up somebody. */
  isCrowded(): boolean;
}

export function createSpawning({ native, reaper, limit, isCrowded }: SpawningParts): Spawning {
  const waiting: (() => void)[] = [];
  let under = 0;

  function known(outcome: SpawnOutcome): Started | Failed {
    return "errno" in outcome ? outcome : { pid: outcome.pid, ended: reaper.ended(outcome.pid) };
  }

  /** Afterwards: a limit is the whole process's, and whoever starts on another thread meanwhile would inherit somebody else's mark. */
  function marked(outcome: SpawnOutcome, mark: number): SpawnOutcome {
    if ("pid" in outcome) native.mark(outcome.pid, mark);
    return outcome;
  }

  /** The pool has few threads, and whoever waits for the disk needs one of them as well. */
  async function inTurn(request: SpawnRequest): Promise<SpawnOutcome> {
    if (under >= SPAWNS_BESIDE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
    else under += 1;
    try {
      return await native.spawnBeside(request);
    } finally {
      const next = waiting.shift();
      if (next === undefined) under -= 1;
      else next();
    }
  }

  return {
    atOnce(request, mark) {
      const spawn = (): SpawnOutcome => limit.during(() => native.spawn(request));
      return known(under === 0 ? native.withMark(mark, spawn) : marked(spawn(), mark));
    },
    beside(request, mark) {
      // Who we are is a matter of the thread, and the pool's threads are the daemon.
      if (request.credentials !== undefined || !isCrowded()) return null;
      const leave = limit.enter();
      if (leave === null) return null;
      const isKnown = reaper.expect();
      return inTurn(request)
        .then((outcome) => known(marked(outcome, mark)))
        .finally(() => {
          leave();
          isKnown();
        });
    },
  };
}
