/** How a daemon ends: refuse what is new, let what runs finish for a while, and at the second word end at once. */
import type { Denial } from "../core/denial.ts";
import { DRAIN_WITHIN_MS, RUN_TREE_GONE_WITHIN_MS } from "../core/limits.ts";
import { stoppingDenial } from "./ask.ts";
import type { Connections } from "./connections.ts";
import type { Log } from "./log.ts";
import type { World } from "./world.ts";

export interface Stoppable {
  readonly world: World;
  readonly connections: Connections;
  readonly stopping: AbortController;
  readonly log: Log;
  stopListening(): void;
  reload(): void;
  onStopping(): void;
}

/** Resolves when nothing is under way any more. SIGTERM and SIGINT end it, SIGHUP reads the settings again. */
export function untilStopped(parts: Stoppable): Promise<void> {
  const { world, connections, stopping, log } = parts;
  return new Promise((resolve) => {
    const endAtOnce = (why: "second signal" | "out of time"): void => {
      log.warn("ending at once", { why, running: world.runs.size });
      world.runs.cancelAll();
      // The trees are gone within their bound; a reader that does not take its answer is not waited for.
      setTimeout(() => connections.closeAll(), RUN_TREE_GONE_WITHIN_MS).unref();
    };
    const stop = (signal: NodeJS.Signals): void => {
      if (stopping.signal.aborted) return endAtOnce("second signal");
      log.info("stopping", { signal, running: world.runs.size });
      stopping.abort();
      parts.onStopping();
      parts.stopListening();
      world.desk.stop();
      const patience = setTimeout(() => endAtOnce("out of time"), DRAIN_WITHIN_MS);
      void drained(connections, world, stoppingDenial()).then(() => {
        clearTimeout(patience);
        for (const name of ["SIGTERM", "SIGINT"] as const) process.removeListener(name, stop);
        process.removeListener("SIGHUP", reload);
        resolve();
      });
    };
    const reload = (): void => parts.reload();
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
    process.on("SIGHUP", reload);
  });
}

async function drained(connections: Connections, world: World, why: Denial): Promise<void> {
  await connections.drain(why);
  await world.runs.idle();
}
