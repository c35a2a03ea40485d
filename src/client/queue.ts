/** Carries notifications from the socket to an async iterator, and says when to stop reading: the queue never outgrows its bound. */
import { STREAM_QUEUE_ITEMS_MAX } from "../core/limits.ts";

export interface Queue<T> {
  push(item: T): void;
  /** After what is queued, the iterator ends, or throws `error`. */
  end(error?: Error): void;
  next(): Promise<IteratorResult<T, undefined>>;
}

export function boundedQueue<T>(flow: { pause(): void; resume(): void }): Queue<T> {
  const items: T[] = [];
  const end: { reached: boolean; error: Error | undefined } = { reached: false, error: undefined };
  let sleepers: (() => void)[] = [];
  let paused = false;

  const wake = (): void => {
    const woken = sleepers;
    sleepers = [];
    for (const rise of woken) rise();
  };

  return {
    push: (item) => {
      if (end.reached) return;
      items.push(item);
      // What the socket had already handed over still arrives, so the bound is where reading stops, not where items are dropped.
      if (items.length >= STREAM_QUEUE_ITEMS_MAX && !paused) {
        paused = true;
        flow.pause();
      }
      wake();
    },
    end: (error) => {
      if (end.reached) return;
      end.reached = true;
      end.error = error;
      wake();
    },
    next: async () => {
      while (items.length === 0 && !end.reached) {
        await new Promise<void>((rise) => void sleepers.push(rise));
      }
      const item = items.shift();
      if (paused && items.length <= STREAM_QUEUE_ITEMS_MAX / 2) {
        paused = false;
        flow.resume();
      }
      if (item !== undefined) return { done: false, value: item };
      if (end.error !== undefined) throw end.error;
      return { done: true, value: undefined };
    },
  };
}
