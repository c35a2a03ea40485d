/** Guessing is slow however many connections guess at once: failing answers of one uid share one budget. Right answers never wait. */
import { AUTH_FAILURE_DELAY_MS, AUTH_FAILURES_PER_DELAY_PER_UID_MAX } from "../core/limits.ts";

export interface FailureDelay {
  /** How long this failing answer must wait. Taking it is what spends the budget, so two callers never share a slot. */
  take(uid: number | null, nowMs: number): number;
}

export function failureDelay(delayMs = AUTH_FAILURE_DELAY_MS): FailureDelay {
  const spacingMs = delayMs / AUTH_FAILURES_PER_DELAY_PER_UID_MAX;
  // Uids are those that may connect at all, so this does not grow.
  const freeAtMs = new Map<number | null, number>();
  return {
    take(uid, nowMs) {
      const slot = Math.max(nowMs, freeAtMs.get(uid) ?? nowMs);
      freeAtMs.set(uid, slot + spacingMs);
      return delayMs + (slot - nowMs);
    },
  };
}
