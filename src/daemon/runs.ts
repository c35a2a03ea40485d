import { type Cancellation, type CancelSignal, createCancellation } from "../core/cancellation.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { RunId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";

/** What is running now, so that it can be cancelled by those who may, and waited for when the daemon stops. */
export interface Runs {
  add(runId: RunId, credential: string): RunHandle;
  /** `null` as credential is an operator, who may cancel anything. */
  cancel(runId: string, credential: string | null): Result<void, Denial>;
  cancelAll(): void;
  readonly size: number;
  /** Resolves when none is left. */
  idle(): Promise<void>;
}

export interface RunHandle {
  readonly signal: CancelSignal;
  cancel(): void;
  done(): void;
}

export function createRuns(): Runs {
  const running = new Map<string, { readonly credential: string; readonly cancellation: Cancellation }>();
  const waiting = new Set<() => void>();
  return {
    add: (runId, credential) => {
      const cancellation = createCancellation();
      running.set(runId, { credential, cancellation });
      return {
        signal: cancellation.signal,
        cancel: () => cancellation.cancel(),
        done: () => {
          running.delete(runId);
          if (running.size > 0) return;
          for (const wake of waiting) wake();
          waiting.clear();
        },
      };
    },
    cancel: (runId, credential) => {
      const run = running.get(runId);
      // Another credential's run is as unknown as one that never was: whether it exists is not this caller's business.
      if (run === undefined || (credential !== null && run.credential !== credential)) {
        return fail(denial("exec.unknown-run", `no run \`${runId}\` is under way; it may have ended`, { field: "runId" }));
      }
      run.cancellation.cancel();
      return ok(undefined);
    },
    cancelAll: () => {
      for (const { cancellation } of running.values()) cancellation.cancel();
    },
    get size() {
      return running.size;
    },
    idle: () => (running.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve))),
  };
}
