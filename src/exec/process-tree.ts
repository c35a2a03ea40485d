/** Ends whole runs: every process that came from one, however it was detached, and none that came from another. */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { RUN_TREE_GONE_WITHIN_MS, TREE_POLL_MS, TREE_STOP_PASSES_MAX } from "../core/limits.ts";
import type { Finished } from "./exec-host.ts";
import type { LivingRun, LivingRuns } from "./living-runs.ts";
import { childrenOf, type ProcessRow, type ProcessTable, readProcess, readProcesses } from "./process-table.ts";

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
  // CONFIG_PROC_CHILDREN: a kernel without it is asked about every process instead.
  const childrenAreListed = adopts && existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

  const find = (run: LivingRun | null): Sorted => sorted(run, readProcesses());

  function sorted(run: LivingRun | null, table: ProcessTable): Sorted {
    const belonging = runs.belongingsOf(run, table, (pid) => reaper.isForeign(pid));
    const alive = [...table.values()].filter(({ isDead }) => !isDead);
    return {
      ours: alive.filter((row) => belonging(row) === "ours"),
      doubtful: alive.filter((row) => belonging(row) === "doubtful"),
    };
  }

  return {
    leftBehind(run) {
      if (!childrenAreListed) return leftIn(find(run));
      const children = childrenOf(process.pid);
      if (run !== null && children.some((pid) => run.alive.has(pid))) return { any: true, escaped: [] };
      const orphans = children.filter((pid) => !(runs.isRoot(pid) || reaper.isForeign(pid)));
      if (orphans.length === 0) return NOTHING;
      const rows = orphans.flatMap((pid) => readProcess(pid) ?? []);
      return leftIn(sorted(run, new Map(rows.map((row) => [row.pid, row]))));
    },

    signal(run, signal) {
      // Each root leads a group of its own: the command and whatever did not leave it. The number of one that ended may be anybody's now.
      for (const pid of run.alive) send(-pid, signal);
    },

    async end(run) {
      const until = performance.now() + RUN_TREE_GONE_WITHIN_MS;
      const stopped = new Set<string>();
      for (let passes = 1; ; passes += 1) {
        const { ours, doubtful } = find(run);
        // After the look: whoever it found dead is buried before anybody hears that all are gone.
        reaper.sweep();
        if (ours.length === 0) return doubtful.map(named);
        const moving = ours.filter((row) => !stopped.has(identityOf(row)));
        for (const row of moving) {
          send(row.pid, "SIGSTOP");
          stopped.add(identityOf(row));
        }
        // Whoever was stopped can no longer fork, but may have forked since we looked: kill only when a look finds nobody new.
        if (moving.length > 0 && passes % TREE_STOP_PASSES_MAX !== 0) continue;
        for (const row of ours) send(row.pid, "SIGKILL");
        if (performance.now() > until) return [...ours, ...doubtful].map(named);
        await sleep(TREE_POLL_MS);
      }
    },
  };
}

interface Sorted {
  readonly ours: readonly ProcessRow[];
  readonly doubtful: readonly ProcessRow[];
}

const NOTHING: LeftBehind = { any: false, escaped: [] };

function leftIn({ ours, doubtful }: Sorted): LeftBehind {
  return { any: ours.length > 0, escaped: doubtful.map(named) };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, or not ours to signal: the next look tells which.
  }
}

function identityOf({ pid, startTicks }: ProcessRow): string {
  return `${pid} ${startTicks}`;
}

function named({ pid, name }: ProcessRow): { readonly pid: number; readonly name: string } {
  return { pid, name };
}
