/**
 * What an AbortSignal says, and no more of it. Every run has one of its own and listens to its connection's, and the web's events take longer
 * for that than a run takes to be judged.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface Cancellation {
  readonly signal: CancelSignal;
  /** Tells everyone who listens, in order and once. Whoever comes later sees that it was. */
  cancel(): void;
}

export function createCancellation(): Cancellation {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    addEventListener(_type: "abort", listener: () => void): void {
      if (!signal.aborted) listeners.add(listener);
    },
    removeEventListener(_type: "abort", listener: () => void): void {
      listeners.delete(listener);
    },
  };
  return {
    signal,
    cancel() {
      if (signal.aborted) return;
      signal.aborted = true;
      const failures: unknown[] = [];
      for (const listener of listeners) {
        try {
          listener();
        } catch (error) {
          // The others must hear of it all the same: each of them may be a run that is to end.
          failures.push(error);
        }
      }
      listeners.clear();
      if (failures.length > 0) throw failures[0];
    },
  };
}
