/**
 * Signed frames that were taken once and must not be taken again. A frame is remembered until its own time is over; what is forgotten
 * leaves its time behind as the earliest that is still taken, so that a clock set back revives nothing.
 */
import { OPENCLAW_CLOCK_MS, OPENCLAW_NONCES_MAX } from "../core/limits.ts";

export interface SeenFrames {
  /** Whether a frame of that time can be told from a replay now: neither too far from our clock nor before anything we still remember. */
  isTimely(sentAtMs: number, nowMs: number): boolean;
  /** To be asked only about a frame whose signature was right, or anybody could fill this. */
  take(nonce: string, sentAtMs: number, nowMs: number): "fresh" | "seen" | "full";
}

export function createSeenFrames(startedAtMs: number, most = OPENCLAW_NONCES_MAX): SeenFrames {
  const seen = new Map<string, number>();
  let earliestMs = startedAtMs;

  function forget(nowMs: number): void {
    for (const [nonce, sentAtMs] of seen) {
      if (sentAtMs + OPENCLAW_CLOCK_MS >= nowMs) continue;
      seen.delete(nonce);
      earliestMs = Math.max(earliestMs, sentAtMs + 1);
    }
  }

  return {
    isTimely: (sentAtMs, nowMs) => Math.abs(nowMs - sentAtMs) <= OPENCLAW_CLOCK_MS && sentAtMs >= earliestMs,
    take: (nonce, sentAtMs, nowMs) => {
      if (seen.has(nonce)) return "seen";
      if (seen.size >= most) forget(nowMs);
      if (seen.size >= most) return "full";
      seen.set(nonce, sentAtMs);
      return "fresh";
    },
  };
}
