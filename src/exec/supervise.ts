/** Watches one run to its end: its time, its canceller, what it leaves behind, and its last words. */
import { setTimeout as sleep } from "node:timers/promises";
import { LAST_WORDS_MS, LEFTOVERS_GRACE_MS, RUN_TERMINATE_GRACE_MS, TIMER_MS_MAX, TREE_POLL_MS } from "../core/limits.ts";
import type { ChildStatus } from "../native/native.ts";
import type { Finished, LaunchIo } from "./exec-host.ts";
import type { LivingRun } from "./living-runs.ts";
import type { LeftBehind, ProcessTree } from "./process-tree.ts";
import type { RunStreams } from "./run-streams.ts";
import { signalNumber } from "./signals.ts";

/** `changed`: what was started is not what was approved. */
export type Ending = "timeout" | "cancel" | "changed";

export interface Supervision {
  ending(): Ending | null;
  /** Whether another process may still come: not while the run is being ended, nor while what it left behind is. */
  mayStart(): boolean;
  end(why: Ending): void;
  /** Another process of the run is there. One that came while the run was being ended is told what the others were told. */
  joined(): void;
  /** Parts of a chain that nobody waits for: they may go on for as long as leftovers may. */
  inBackground(running: Promise<unknown>): void;
  /** Answers when no process of the run is left, with what the command itself said. */
  finish(main: Promise<ChildStatus>): Promise<Outcome>;
}

export interface Outcome {
  readonly status: ChildStatus;
  readonly escaped: Finished["escaped"];
}

/** What is said of a command that could not even be killed. */
const UNKILLED: ChildStatus = { exitCode: null, signal: signalNumber("SIGKILL") };

export function supervise(run: LivingRun, streams: RunStreams, tree: ProcessTree, io: LaunchIo): Supervision {
  let ending: Ending | null = null;
  let isClosing = false;
  let isOver = false;
  let tellEnding = (): void => undefined;
  const whenEnding = new Promise<void>((resolve) => {
    tellEnding = resolve;
  });
  const background = new Set<Promise<unknown>>();

  function end(why: Ending): void {
    if (ending !== null || isOver) return;
    ending = why;
    joined();
    tellEnding();
  }

  function joined(): void {
    // What is not what was approved gets no chance to put anything in order.
    if (ending !== null) tree.signal(run, ending === "changed" ? "SIGKILL" : "SIGTERM");
  }

  const timer = setTimeout(() => end("timeout"), Math.min(io.timeoutMs, TIMER_MS_MAX));
  const onAbort = (): void => end("cancel");
  io.signal.addEventListener("abort", onAbort, { once: true });
  // Since it was asked last, a turn may have passed.
  if (io.signal.aborted) end("cancel");

  const isEnding = (): boolean => ending !== null;
  // Not raced against the ending: each race would leave a listener there for as long as the run lasts, and a reader may be slow for minutes.
  const pause = (): Promise<unknown> => sleep(TREE_POLL_MS);

  /**
   * A shell would have returned by now, and its caller would read on until the pipe ends. So do we, for a moment. Answers with what is left
   * once everything was said and nobody is there any more, and with `null` when the moment has passed.
   */
  async function leaveInPeace(): Promise<LeftBehind | null> {
    for (const until = performance.now() + LEFTOVERS_GRACE_MS; !isEnding() && performance.now() < until; ) {
      if (background.size === 0) {
        takeOutput();
        const left = streams.haveEnded() || streams.waitForReader() ? tree.leftBehind(run) : null;
        if (left?.any === false) return left;
      }
      await (streams.haveEnded() ? pause() : Promise.race([streams.whenEnded(), pause()]));
    }
    return null;
  }

  function takeOutput(): void {
    streams.closeWriting();
    streams.readNow();
  }

  /** Everything was said before the end, but the reader may be slow: it is waited for as long as the run may last. */
  async function lastWords(): Promise<void> {
    takeOutput();
    while (!isEnding() && streams.waitForReader()) await pause();
    if (!streams.haveEnded()) await Promise.race([streams.whenEnded(), sleep(LAST_WORDS_MS)]);
    streams.abandon();
  }

  async function endTree(): Promise<Finished["escaped"]> {
    const until = performance.now() + (ending === "changed" ? 0 : RUN_TERMINATE_GRACE_MS);
    while (performance.now() < until && tree.leftBehind(run).any) await sleep(TREE_POLL_MS);
    return tree.end(run);
  }

  async function settle(status: ChildStatus, killed: Promise<Finished["escaped"]>): Promise<Outcome> {
    const left = await leaveInPeace();
    if (left !== null && streams.haveEnded()) return { status, escaped: left.escaped };
    // A list in the background would take the end of one command for its own business, and go on with the next.
    isClosing = true;
    const escaped = ending === null ? await tree.end(run) : await killed;
    await lastWords();
    return { status, escaped };
  }

  return {
    ending: () => ending,
    mayStart: () => ending === null && !isClosing && !isOver,
    end,
    joined,
    inBackground(running) {
      background.add(running);
      const forget = (): void => void background.delete(running);
      running.then(forget, forget);
    },
    async finish(main) {
      // The tree is ended beside the command and not after it: a command that ignores SIGTERM would never come back by itself.
      const killed = whenEnding.then(endTree);
      const unkilled = killed.then(() => sleep(LAST_WORDS_MS, UNKILLED));
      try {
        return await settle(await Promise.race([main, unkilled]), killed);
      } catch (error) {
        end("changed");
        await killed;
        streams.abandon();
        throw error;
      } finally {
        isOver = true;
        clearTimeout(timer);
        io.signal.removeEventListener("abort", onAbort);
      }
    },
  };
}
