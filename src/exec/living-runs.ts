/** Which processes belong to which run: by descent, by session, by marker, and at last by time. */
import type { RunId } from "../core/ids.ts";
import { createTickClock, environmentOf, type ProcessRow, type ProcessTable, wasStartedBesideUs } from "./process-table.ts";

export const RUN_MARKER = "COUNTERSIGN_RUN";

export interface LivingRun {
  readonly runId: RunId;
  readonly startTicks: number;
  /** Every process that the daemon itself started for this run; each of them leads a session. */
  readonly roots: Set<number>;
  /** Those of them that have not ended: their numbers cannot be anybody else's. */
  readonly alive: Set<number>;
}

/** `doubtful`: it shed everything that would tell whose it is, and another run that is still alive may have started it. */
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
    return markedFor(row) ?? bySession ?? "unknown";
  }

  function markedFor(row: ProcessRow): LivingRun | undefined {
    const marker = environmentOf(row.pid, RUN_MARKER);
    if (marker === null) return undefined;
    return [...living].find((run) => run.runId === marker && run.startTicks <= row.startTicks + SLACK_TICKS);
  }

  function belongingsOf(run: LivingRun | null, table: ProcessTable, isForeign: (pid: number) => boolean): (row: ProcessRow) => Belonging {
    const known = new Map<number, Belonging>();

    function judgeOrphan(row: ProcessRow, isAdopted: boolean): Belonging {
      const owner = ownerOfOrphan(row);
      if (owner !== "unknown") return owner === run ? "ours" : "not-ours";
      // One that we are starting this very moment is no orphan, and carries no mark until it has become its program.
      if (!isAdopted || (underWay.size > 0 && isBeside(row.pid))) return "not-ours";
      // It was started while these were alive. The last of them ends it; the others say that it is there. Whose run is over already
      // left it to whoever comes first.
      const suspects = [...living].filter((each) => each.startTicks <= row.startTicks + SLACK_TICKS);
      if (suspects.length > 0 && (run === null || !suspects.includes(run))) return "not-ours";
      return suspects.length > 1 ? "doubtful" : "ours";
    }

    function judge(row: ProcessRow): Belonging {
      const root = byRoot.get(row.pid);
      if (root?.alive.has(row.pid) === true) return root === run ? "ours" : "not-ours";
      if (row.pid === process.pid) return "not-ours";
      if (row.parent === process.pid) return isForeign(row.pid) ? "not-ours" : judgeOrphan(row, adopts);
      const parent = table.get(row.parent);
      // The first process of a container or of the machine: nobody is above it.
      const above = parent === undefined || parent.pid === 1 ? "not-ours" : belongingOf(parent);
      return above === "not-ours" && !adopts ? judgeOrphan(row, false) : above;
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
      const run = { runId, startTicks: nowTicks(), roots: new Set<number>(), alive: new Set<number>() };
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
