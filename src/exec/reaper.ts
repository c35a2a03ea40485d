/** Learns of every ended child, ours and adopted, and leaves no zombie. libuv reaps only what it started itself. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { REAP_POLL_MS } from "../core/limits.ts";
import type { ChildStatus, Native } from "../native/native.ts";
import { ownChildren, readProcess } from "./process-table.ts";

export interface Reaper {
  /** Call it in the same turn in which the child was started, or before what expect() gave is called. */
  ended(pid: number): Promise<ChildStatus>;
  /** A child is being started beside us and may end before we know its number: until the answer is called, no stranger is buried. */
  expect(): () => void;
  /** Whether somebody other than this launcher started this child of ours. */
  isForeign(pid: number): boolean;
  /** Buries whatever has ended by now, without waiting for the signal. */
  sweep(): void;
  stop(): void;
}

export function createReaper(native: Native): Reaper {
  const waiting = new Map<number, (status: ChildStatus) => void>();
  const strangers = watchStrangers();
  let expected = 0;
  let passedOver = false;

  function bury(pid: number): void {
    const status = native.reap(pid);
    if (status === null) return;
    const tell = waiting.get(pid);
    waiting.delete(pid);
    tell?.(status === "gone" ? { exitCode: null, signal: null } : status);
  }

  function isForeign(pid: number): boolean {
    return !waiting.has(pid) && strangers.include(pid);
  }

  function sweep(): void {
    for (let pid = native.endedChild(); pid !== null; pid = native.endedChild()) {
      const isExpected = expected > 0 && !waiting.has(pid);
      if (isExpected || isForeign(pid)) {
        passedOver ||= isExpected;
        // It lies in front of the others until whoever started it buries it, so those are asked after one by one.
        // Whoever is expected is another thread's child, and in no list of ours.
        for (const each of new Set([...waiting.keys(), ...(ownChildren() ?? [])])) if (!isForeign(each)) bury(each);
        return;
      }
      bury(pid);
    }
  }

  function known(): void {
    expected -= 1;
    if (!passedOver) return;
    passedOver = false;
    // In the next turn: by then whoever waited for its number has it, and will not signal one that is free again.
    setImmediate(sweep);
  }

  process.on("SIGCHLD", sweep);
  const poll = setInterval(() => {
    if (waiting.size > 0) sweep();
  }, REAP_POLL_MS);
  poll.unref();

  return {
    ended: (pid) => new Promise((resolve) => waiting.set(pid, resolve)),
    expect() {
      expected += 1;
      return known;
    },
    isForeign,
    sweep,
    stop() {
      clearInterval(poll);
      process.off("SIGCHLD", sweep);
      strangers.stop();
    },
  };
}

/** Children that were there before us, and those that Node starts: theirs to reap, not ours. */
function watchStrangers(): { include(pid: number): boolean; stop(): void } {
  const before = new Map((ownChildren() ?? []).map((pid) => [pid, readProcess(pid)?.startTicks]));
  const started = new Set<object>();
  const onChild = (message: unknown): void => {
    const child: unknown = typeof message === "object" && message !== null ? Reflect.get(message, "process") : null;
    // It is told before it is started, so it has no pid yet.
    if (typeof child === "object" && child !== null) started.add(child);
  };
  // diagnostics_channel: every ChildProcess is published here.
  subscribe("child_process", onChild);
  return {
    include(pid) {
      for (const child of started) {
        if (Reflect.get(child, "exitCode") !== null || Reflect.get(child, "signalCode") !== null) started.delete(child);
        else if (Reflect.get(child, "pid") === pid) return true;
      }
      // A number may come back as another process.
      return before.has(pid) && before.get(pid) === readProcess(pid)?.startTicks;
    },
    stop: () => unsubscribe("child_process", onChild),
  };
}
