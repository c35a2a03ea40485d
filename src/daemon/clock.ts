/**
 * One clock for everything durable. While the daemon lives it runs on the monotonic clock, so a wall clock set back or forward neither
 * revives an approval nor kills one; across a restart it starts from the wall clock, never earlier than the last durable record.
 */
export interface Clock {
  nowMs(): number;
}

export function steadyClock(wallMs: () => number, monotonicMs: () => number, lastRecordAtMs: number): Clock {
  const base = Math.max(wallMs(), lastRecordAtMs);
  const started = monotonicMs();
  return { nowMs: () => Math.floor(base + (monotonicMs() - started)) };
}
