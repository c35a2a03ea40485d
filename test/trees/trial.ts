/** One run with its sixty grandchildren, ended in one way, beside a run of somebody else. */
import { mkdirSync, realpathSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { RUN_TREE_GONE_WITHIN_MS } from "../../src/core/limits.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { isStopped, until, workingIn } from "../support/processes.ts";
import { type Ending, type Running, started } from "./endings.ts";
import { type Forest, plant } from "./forest.ts";

export interface Outcome {
  readonly survivors: number;
  readonly goneAfterMs: number;
  /** Survivors that the answer does not name as escaped. */
  readonly unnamed: number;
}

/** `--within=MS`: a machine that does other things as well is slower, and no less thorough. */
export const WITHIN_MS = Number(
  process.argv.find((word) => word.startsWith("--within="))?.slice("--within=".length) ?? RUN_TREE_GONE_WITHIN_MS,
);
/** So much longer than the promise, to tell who is slow from who stays. */
const WAIT_MS = WITHIN_MS + 500;
/** Whoever hops can be missed by a look, so that nobody is seen means nothing before it was so this often in a row. */
const EMPTY_LOOKS = 5;
const LOOK_EVERY_MS = 5;
const HOP_PAUSE_SECONDS = 0.02;

export async function trial(daemon: TestDaemon, ending: Ending, directory: string, native: boolean): Promise<Outcome> {
  // Without native code orphans go to the first process of the machine, and it must not be drowned in them.
  const forest = plant(directory, native ? 0 : HOP_PAUSE_SECONDS);
  const running = await started(daemon, forest.argv, forest.directory, ending.timeoutMs);
  try {
    if (!(await until(() => forest.isGrown(), ending.timeoutMs ?? 20_000))) throw new Error("the sixty did not come up in time");
    const endedAt = await ending.end(running);
    const goneAfterMs = await untilGone(forest, endedAt);
    const survivors = forest.living();
    const left = new Set(forest.sleepers());
    const escaped = survivors.length > 0 && ending.isAnswered ? await escapedOf(running) : null;
    if (escaped !== null) for (const pid of escaped) left.delete(pid);
    return { survivors: survivors.length, goneAfterMs, unnamed: escaped === null ? 0 : left.size };
  } finally {
    running.client.close();
    await fell(forest);
  }
}

async function untilGone(forest: Forest, since: number): Promise<number> {
  let empty = 0;
  let firstEmptyAt = 0;
  while (performance.now() < since + WAIT_MS) {
    const at = performance.now();
    empty = forest.living().length === 0 ? empty + 1 : 0;
    if (empty === 1) firstEmptyAt = at;
    if (empty === EMPTY_LOOKS) return Math.round(firstEmptyAt - since);
    await sleep(LOOK_EVERY_MS);
  }
  return Math.round(performance.now() - since);
}

async function escapedOf({ client }: Running): Promise<readonly number[]> {
  const answer = await client.answer("run");
  const result = answer?.["result"];
  const listed: unknown = isJsonObject(result) ? result["escaped"] : null;
  if (!Array.isArray(listed)) throw new Error(`no answer that says what escaped: ${JSON.stringify(answer)}`);
  return listed.flatMap((each: unknown) => (isJsonObject(each) && typeof each["pid"] === "number" ? [each["pid"]] : []));
}

/** What the daemon left over is not left on the machine. Hoppers take several turns. */
async function fell(forest: Forest): Promise<void> {
  for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
    await until(() => {
      const found = forest.living().filter((pid) => signal === "SIGKILL" || !isStopped(pid));
      for (const pid of found) {
        try {
          process.kill(pid, signal);
        } catch {
          // It was quicker.
        }
      }
      return found.length === 0;
    }, 10_000);
  }
}

export interface Bystander {
  /** The very process that was there at the beginning, and it sleeps. */
  isUntouched(): boolean;
  stop(): void;
}

/** A run of somebody else, started before. */
export async function bystanderAt(daemon: TestDaemon, directory: string): Promise<Bystander> {
  mkdirSync(directory, { recursive: true });
  const here = realpathSync(directory);
  const { client } = await started(daemon, ["/bin/sleep", "3600"], here, null);
  if (!(await until(() => workingIn(here).length === 1, 30_000))) throw new Error("the bystander did not come up");
  const [pid] = workingIn(here);
  return {
    isUntouched: () => workingIn(here).join(" ") === String(pid) && pid !== undefined && !isStopped(pid),
    stop: () => client.close(),
  };
}

const EVERYTHING: JsonObject = { version: 1, defaults: { security: "full", ask: "off" } };

export function startDaemon(native: boolean): Promise<TestDaemon> {
  return startTestDaemon({ document: EVERYTHING, env: native ? {} : { COUNTERSIGN_NATIVE: "off" } });
}
