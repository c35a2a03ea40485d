/** Makes a file durable: on another thread, or at once where that is quicker for everybody. */
import { SYNC_HERE_MS_MAX } from "../core/limits.ts";

/** `all`: nobody is kept waiting by it who does not wait for it anyway. `some`: the loop has others to serve meanwhile. */
export type WaitedForBy = "all" | "some";

export interface SyncWays {
  /** Holds up the loop until it is done. */
  here(): void;
  /** On a thread of the pool. */
  beside(): Promise<void>;
  nowMs(): number;
}

/**
 * To wake another thread and be woken by it takes as long as a quick disk takes for the sync. So while the disk is quick, whoever is
 * alone in waiting is served here. Every sync is measured, and a slow one sends the next to the pool: a disk that stalls holds the loop up once.
 */
export function createSyncing(ways: SyncWays): (waitedForBy: WaitedForBy) => Promise<void> {
  let tookMs = Number.POSITIVE_INFINITY;
  return async (waitedForBy) => {
    const begunMs = ways.nowMs();
    try {
      if (waitedForBy === "all" && tookMs <= SYNC_HERE_MS_MAX) ways.here();
      else await ways.beside();
      tookMs = ways.nowMs() - begunMs;
    } catch (error) {
      tookMs = Number.POSITIVE_INFINITY;
      throw error;
    }
  };
}
