/** Ends whole runs: every process that came from one, however it was detached, and none that came from another. */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { RUN_TREE_GONE_WITHIN_MS, TREE_DOUBTS_MAX, TREE_POLL_MS, TREE_SHORT_LOOKS_MAX, TREE_STOP_PASSES_MAX } from "../core/limits.ts";
import type { Finished } from "./exec-host.ts";
import type { LivingRun, LivingRuns } from "./living-runs.ts";
import { ownChildren, type ProcessRow, type ProcessTable, readProcess, readProcesses } from "./process-table.ts";

export interface ProcessTree {
  /** What is alive of a run by the cheapest look there is. It may miss a process for a moment, while others end. `null`: of no run any more. */
  leftBehind(run: LivingRun | null): LeftBehind;
  /** Stops, then kills, until none is left. What cannot be ended, or may be another run's, is named. */
  end(run: LivingRun | null): Promise<Finished["escaped"]>;
  signal(run: LivingRun, signal: NodeJS.Signals): void;
}

export interface LeftBehind {
  readonly any: boolean;
  /** They shed every mark, and another run that is still alive may have started them. */
  readonly escaped: Finished["escaped"];
}

export interface Reaping {
  isForeign(pid: number): boolean;
  sweep(): void;
}

export function createProcessTree(runs: LivingRuns, reaper: Reaping, adopts: boolean): ProcessTree {
  if (!existsSync("/proc/self/stat")) return processGroups();
  // CONFIG_PROC_CHILDREN: a kernel without it is asked about every process instead.
  const childrenAreListed = adopts && existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

  /** A table that is not whole proves nothing about those who are not in it. */
  function find(run: LivingRun | null): Sorted & { readonly isSure: boolean } {
    const { table, isWhole } = readProcesses();
    return { ...sorted(run, table), isSure: isWhole };
  }

  function sorted(run: LivingRun | null, table: ProcessTable): Sorted {
    const belonging = runs.belongingsOf(run, table, (pid) => reaper.isForeign(pid));
    const alive = [...table.values()].filter(({ isDead }) => !isDead);
    return {
      ours: alive.filter((row) => belonging(row) === "ours"),
      doubtful: alive.filter((row) => belonging(row) === "doubtful"),
    };
  }

  /** Children that we did not start: whatever a run left behind has come to us, or hangs on one of these. */
  function orphansOf(run: LivingRun | null): Sorted & { readonly isSure: boolean } {
    const listed = ownChildren();
    if (listed === null) return { ...NOBODY, isSure: false };
    const pids = listed.filter((pid) => !(runs.isRoot(pid) || reaper.isForeign(pid)));
    if (pids.length === 0) return NOBODY;
    const rows = pids.flatMap((pid) => readProcess(pid) ?? []);
    // One that went while it was looked at may have left another in its place.
    return { ...sorted(run, new Map(rows.map((row) => [row.pid, row]))), isSure: rows.length === pids.length };
  }

  function leftBehind(run: LivingRun | null): LeftBehind {
    if (run !== null && (run.alive.size > 0 || runs.isStarting(run))) return SOMEBODY;
    const found = childrenAreListed ? orphansOf(run) : find(run);
    return found.isSure ? leftIn(found) : SOMEBODY;
  }

  /** Whoever forks and exits in a loop is never where a long look found it, but with every turn it comes to us: that look is a short one. */
  function stopOrphans(run: LivingRun | null, stopped: Set<string>): void {
    if (!childrenAreListed) return;
    for (let look = 0; look < TREE_SHORT_LOOKS_MAX; look += 1) {
      // With every turn it leaves one behind that has ended: among thousands of those the look would be a long one.
      reaper.sweep();
      const { ours, isSure } = orphansOf(run);
      if (isSure && !stop(ours, stopped)) return;
    }
  }

  return {
    leftBehind,

    signal(run, signal) {
      // Each root leads a group of its own: the command and whatever did not leave it. The number of one that ended may be anybody's now.
      for (const pid of run.alive) send(-pid, signal);
    },

    async end(run) {
      let until = performance.now() + RUN_TREE_GONE_WITHIN_MS;
      const stopped = new Set<string>();
      let doubts = 0;
      for (let passes = 1; ; passes += 1) {
        stopOrphans(run, stopped);
        const { ours, doubtful, isSure } = find(run);
        // After the look: whoever it found dead is buried before anybody hears that all are gone.
        reaper.sweep();
        if (isSure && ours.length === 0 && !leftBehind(run).any) {
          // Somebody else's start may look like it for a moment; a second look tells.
          if (doubtful.length === 0 || doubts >= TREE_DOUBTS_MAX) return doubtful.map(named);
          doubts += 1;
          await sleep(TREE_POLL_MS);
          continue;
        }
        // Whoever was stopped can no longer fork, but may have forked since we looked: kill only when a look finds nobody new.
        if (stop(ours, stopped) && passes % TREE_STOP_PASSES_MAX !== 0) continue;
        for (const row of ours) send(row.pid, "SIGKILL");
        // Those whose numbers we know need no look.
        for (const pid of run?.alive ?? []) send(-pid, "SIGKILL");
        // Whoever is still being started will be there, on descriptors that nobody may close before: then the time begins anew.
        if (run !== null && runs.isStarting(run)) until = performance.now() + RUN_TREE_GONE_WITHIN_MS;
        else if (performance.now() > until) return [...ours, ...doubtful, ...(isSure ? [] : unseen(run))].map(named);
        await sleep(TREE_POLL_MS);
      }
    },
  };
}

/** Whether anybody was still moving. */
function stop(rows: readonly ProcessRow[], stopped: Set<string>): boolean {
  const moving = rows.filter((row) => !stopped.has(identityOf(row)));
  for (const row of moving) {
    send(row.pid, "SIGSTOP");
    stopped.add(identityOf(row));
  }
  return moving.length > 0;
}

/** Where processes cannot be looked at, macOS: the group of each command, and nobody who left it. */
function processGroups(): ProcessTree {
  const isThere = (pid: number): boolean => send(-pid, 0);
  return {
    leftBehind: (run) => ({ any: run !== null && [...run.roots].some(isThere), escaped: [] }),
    signal(run, signal) {
      for (const pid of run.alive) send(-pid, signal);
    },
    async end(run) {
      for (const pid of run?.roots ?? []) send(-pid, "SIGKILL");
      return [];
    },
  };
}

interface Sorted {
  readonly ours: readonly ProcessRow[];
  readonly doubtful: readonly ProcessRow[];
}

const SOMEBODY: LeftBehind = { any: true, escaped: [] };
const NOBODY: Sorted & { readonly isSure: true } = { ours: [], doubtful: [], isSure: true };

function leftIn({ ours, doubtful }: Sorted): LeftBehind {
  return { any: ours.length > 0, escaped: doubtful.map(named) };
}

/** `false` when it is gone, or not ours to signal: the next look tells which. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function identityOf({ pid, startTicks }: ProcessRow): string {
  return `${pid} ${startTicks}`;
}

/** Nobody could look, so whoever was not seen to end may be there. */
function unseen(run: LivingRun | null): readonly { readonly pid: number; readonly name: string }[] {
  const alive = [...(run?.alive ?? [])].map((pid) => ({ pid, name: "?" }));
  return alive.length > 0 ? alive : [{ pid: 0, name: "?" }];
}

function named({ pid, name }: Pick<ProcessRow, "pid" | "name">): { readonly pid: number; readonly name: string } {
  return { pid, name };
}
