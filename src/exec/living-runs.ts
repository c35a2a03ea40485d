/** Which processes belong to which run: by descent, by session, by marker, by mark, and at last by time. */
import { randomInt } from "node:crypto";
import type { RunId } from "../core/ids.ts";
import { bearsDumpMark } from "./dump-mark.ts";
import { createTickClock, environmentOf, markOf, type ProcessRow, type ProcessTable, wasStartedBesideUs } from "./process-table.ts";

export const RUN_MARKER = "COUNTERSIGN_RUN";

export interface LivingRun {
  readonly runId: RunId;
  readonly startTicks: number;
  /** A number that goes with every process of the run, also into another session and another environment: see Native.wear. */
  readonly mark: number;
  /** Every process that the daemon itself started for this run; each of them leads a session. */
  readonly roots: Set<number>;
  /** Those of them that have not ended: their numbers cannot be anybody else's. */
  readonly alive: Set<number>;
}

/**
 * `doubtful`: it shed everything that would tell whose it is, and somebody else may have started it: another run that is still alive or,
 * where orphans do not come to us, anybody.
 */
export type Belonging = "ours" | "doubtful" | "not-ours";

export interface LivingRuns {
  open(runId: RunId): LivingRun;
  /** Somebody is being started beside us, whose number nobody knows yet; the answer is called when it is known, or that nobody came. */
  starting(run: LivingRun): () => void;
  isStarting(run: LivingRun): boolean;
  started(run: LivingRun, pid: number): void;
  ended(run: LivingRun, pid: number): void;
  close(run: LivingRun): void;
  isRoot(pid: number): boolean;
  /** Asked anew for every table: one answer per process, remembered while the table holds. `null`: those of runs that are over. */
  belongingsOf(run: LivingRun | null, table: ProcessTable, isForeign: (pid: number) => boolean): (row: ProcessRow) => Belonging;
}

const MARKS = 2 ** 47;
const INIT_PID = 1;
/** Both clocks are read at slightly different moments. */
const SLACK_TICKS = 3;

/** `adopts`: orphans come to us, so that whatever descends from a run descends from us. Otherwise any process may be one of ours. */
export function createLivingRuns(adopts: boolean, isBeside = wasStartedBesideUs): LivingRuns {
  const nowTicks = createTickClock();
  const living = new Set<LivingRun>();
  const byRoot = new Map<number, LivingRun>();
  const underWay = new Set<{ readonly run: LivingRun }>();

  /** The run that a process without a living root above itself came from. */
  function ownerOfOrphan(row: ProcessRow): LivingRun | "unknown" {
    // A session cannot be joined from outside, setsid(2): this cannot be forged. When its leader has ended, its number may have gone to
    // another that its members left again, so then the marker has the first word.
    const bySession = byRoot.get(row.session);
    if (bySession?.alive.has(row.session) === true) return bySession;
    return (adopts ? bearing(markOf(row.pid), row) : undefined) ?? markedFor(row) ?? bySession ?? "unknown";
  }

  /** The environment can be shed by accident, `env -i` does it; a limit only by whoever means to. */
  function bearing(mark: number | null, row: ProcessRow): LivingRun | undefined {
    return [...living].find((run) => run.mark === mark && isOldEnough(run, row));
  }

  function isOldEnough(run: LivingRun, row: ProcessRow): boolean {
    return run.startTicks <= row.startTicks + SLACK_TICKS;
  }

  function markedFor(row: ProcessRow): LivingRun | undefined {
    const marker = environmentOf(row.pid, RUN_MARKER);
    if (marker === null) return undefined;
    return [...living].find((run) => run.runId === marker && isOldEnough(run, row));
  }

  function belongingsOf(run: LivingRun | null, table: ProcessTable, isForeign: (pid: number) => boolean): (row: ProcessRow) => Belonging {
    const known = new Map<number, Belonging>();

    function judgeOrphan(row: ProcessRow, isAdopted: boolean): Belonging {
      const owner = ownerOfOrphan(row);
      if (owner !== "unknown") return owner === run ? "ours" : "not-ours";
      if (!isAdopted) return mayBeAnOrphanOf(run, row) ? "doubtful" : "not-ours";
      // One that we are starting this very moment is no orphan, and carries no mark until it has become its program.
      if (underWay.size > 0 && isBeside(row.pid)) return "not-ours";
      // It was started while these were alive. The last of them ends it; the others say that it is there. Whose run is over already
      // left it to whoever comes first.
      const suspects = [...living].filter((each) => isOldEnough(each, row));
      if (suspects.length > 0 && (run === null || !suspects.includes(run))) return "not-ours";
      return suspects.length > 1 ? "doubtful" : "ours";
    }

    /**
     * Where orphans go to somebody above us, nobody can tell one run's from another's, or from another daemon's. Whoever came there since
     * the run began, with a daemon's mark and in a session of its own, is named and not touched.
     */
    function mayBeAnOrphanOf(of: LivingRun | null, row: ProcessRow): boolean {
      if (of === null || !isOldEnough(of, row) || !above().has(row.parent) || above().has(row.pid)) return false;
      return row.session !== table.get(row.parent)?.session && bearsDumpMark(row.pid);
    }

    let ancestors: ReadonlySet<number> | null = null;
    function above(): ReadonlySet<number> {
      ancestors ??= ancestorsIn(table);
      return ancestors;
    }

    function judge(row: ProcessRow): Belonging {
      const root = byRoot.get(row.pid);
      if (root?.alive.has(row.pid) === true) return root === run ? "ours" : "not-ours";
      if (row.pid === process.pid) return "not-ours";
      if (row.parent === process.pid) return isForeign(row.pid) ? "not-ours" : judgeOrphan(row, adopts);
      const parent = table.get(row.parent);
      // The first process of a container or of the machine: nobody is above it.
      const inherited = parent === undefined || parent.pid === INIT_PID ? "not-ours" : belongingOf(parent);
      return inherited === "not-ours" && !adopts ? judgeOrphan(row, false) : inherited;
    }

    function belongingOf(row: ProcessRow): Belonging {
      const before = known.get(row.pid);
      if (before !== undefined) return before;
      // A table that is read row by row can hold a circle of parents for a moment; nobody in one is ours.
      known.set(row.pid, "not-ours");
      const answer = judge(row);
      known.set(row.pid, answer);
      return answer;
    }

    return belongingOf;
  }

  return {
    open(runId) {
      const run = { runId, startTicks: nowTicks(), mark: randomInt(MARKS), roots: new Set<number>(), alive: new Set<number>() };
      living.add(run);
      return run;
    },
    starting(run) {
      const start = { run };
      underWay.add(start);
      return () => void underWay.delete(start);
    },
    isStarting: (run) => [...underWay].some((start) => start.run === run),
    started(run, pid) {
      run.roots.add(pid);
      run.alive.add(pid);
      byRoot.set(pid, run);
    },
    ended: (run, pid) => void run.alive.delete(pid),
    close(run) {
      living.delete(run);
      for (const pid of run.roots) if (byRoot.get(pid) === run) byRoot.delete(pid);
    },
    isRoot: (pid) => byRoot.get(pid)?.alive.has(pid) === true,
    belongingsOf,
  };
}

/** One of them takes in what our children leave behind; in a container that may be ourselves. */
function ancestorsIn(table: ProcessTable): ReadonlySet<number> {
  const found = new Set([INIT_PID, process.pid]);
  for (let row = table.get(process.ppid); row !== undefined && !found.has(row.pid); row = table.get(row.parent)) found.add(row.pid);
  return found;
}
