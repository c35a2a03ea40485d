/** For programs that take minutes: what they began is cleared away on exit, and a signal's own way of ending them knows of no exit. */
import { constants } from "node:os";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

export function exitOnSignals(): void {
  for (const signal of SIGNALS) process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
