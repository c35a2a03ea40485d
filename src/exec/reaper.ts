/** Learns of every ended child, ours and adopted, and leaves no zombie. libuv reaps only what it started itself. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { REAP_POLL_MS } from "../core/limits.ts";
import type { ChildStatus, Native } from "../native/native.ts";
import { childrenOf } from "./process-table.ts";

export interface Reaper {
  /** Call it in the same turn in which the child was started. */
  ended(pid: number): Promise<ChildStatus>;
  /** Whether somebody other than this launcher started this child of ours. */
  isForeign(pid: number): boolean;
  /** Buries whatever has ended by now, without waiting for the signal. */
  sweep(): void;
  stop(): void;
}

export function createReaper(native: Native): Reaper {
  const waiting = new Map<number, (status: ChildStatus) => void>();
  // What was there before us, and what Node starts: theirs to reap.
  const foreign = new Set<number>(childrenOf(process.pid));
  const onSpawned = (message: unknown): void => {
    const child = childIn(message);
    if (child !== null) foreign.add(child);
  };
  subscribe("child_process", onSpawned);

  function bury(pid: number): void {
    const status = native.reap(pid);
    if (status === null) return;
    const tell = waiting.get(pid);
    waiting.delete(pid);
    tell?.(status === "gone" ? { exitCode: null, signal: null } : status);
  }

  function sweep(): void {
    for (let pid = native.endedChild(); pid !== null; pid = native.endedChild()) {
      if (!waiting.has(pid) && foreign.has(pid)) {
        // It lies in front of the others until whoever started it buries it, so those are asked after one by one.
        for (const each of new Set([...waiting.keys(), ...childrenOf(process.pid)])) if (!foreign.has(each)) bury(each);
        return;
      }
      bury(pid);
    }
  }

  process.on("SIGCHLD", sweep);
  const poll = setInterval(() => {
    if (waiting.size > 0) sweep();
  }, REAP_POLL_MS);
  poll.unref();

  return {
    ended(pid) {
      // A number that Node's children once had is ours now.
      foreign.delete(pid);
      return new Promise((resolve) => waiting.set(pid, resolve));
    },
    isForeign: (pid) => foreign.has(pid),
    sweep,
    stop() {
      clearInterval(poll);
      process.off("SIGCHLD", sweep);
      unsubscribe("child_process", onSpawned);
    },
  };
}

/** diagnostics_channel, `child_process`: `{ process }`, a ChildProcess. */
function childIn(message: unknown): number | null {
  const child: unknown = typeof message === "object" && message !== null ? Reflect.get(message, "process") : null;
  const pid: unknown = typeof child === "object" && child !== null ? Reflect.get(child, "pid") : null;
  return typeof pid === "number" ? pid : null;
}
