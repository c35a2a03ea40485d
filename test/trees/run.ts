/**
 * `make trees TRIALS=…`: runs with sixty daemonising grandchildren each, ended in every way there is, beside a run of somebody else. Fails
 * on a single survivor, on one that took longer than promised, and on a bystander that was touched. Without native code it only reports,
 * but whoever is left must be named in the answer.
 */
import { join } from "node:path";
import { createReaper } from "../../src/exec/reaper.ts";
import { loadNative } from "../../src/native/libc.ts";
import type { TestDaemon } from "../support/daemon.ts";
import { exitOnSignals } from "../support/exit-on-signals.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { ENDINGS, type Ending } from "./endings.ts";
import { GRANDCHILDREN } from "./forest.ts";
import { bystanderAt, type Outcome, startDaemon, trial, WITHIN_MS } from "./trial.ts";

const TRIALS_DEFAULT = 12;

interface Score {
  readonly ending: Ending["name"];
  readonly native: boolean;
  readonly trials: number;
  readonly survivors: number;
  readonly slowestMs: number;
  readonly unnamed: number;
  /** How often the run beside it was not as before. */
  readonly bystanders: number;
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const json = words.includes("--json");
  const trials = Number(words.find((word) => /^\d+$/.test(word)) ?? TRIALS_DEFAULT);
  const only = words.find((word) => word.startsWith("--native="))?.slice("--native=".length);
  const scores: Score[] = [];
  if (!json) console.log(HEAD);
  for (const native of [true, false].filter((each) => only === undefined || (only === "on") === each)) {
    for (const ending of ENDINGS) {
      const score = await scoreOf(ending, native, trials);
      scores.push(score);
      if (!json) console.log(line(score));
    }
  }
  const complaints = scores.flatMap(complaintsOf);
  if (json) console.log(JSON.stringify({ trials, grandchildren: GRANDCHILDREN, scores, complaints }));
  else for (const complaint of complaints) console.log(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}

/** SIGTERM ends the daemon with all of its runs: there the bystander is another daemon's. */
async function scoreOf(ending: Ending, native: boolean, trials: number): Promise<Score> {
  const scratch = scratchDirectory();
  const lasting = await startDaemon(native);
  const bystander = await bystanderAt(lasting, join(scratch.path, "bystander"));
  const outcomes: Outcome[] = [];
  let bystanders = 0;
  try {
    for (let index = 0; index < trials; index += 1) {
      const daemon: TestDaemon = ending.name === "SIGTERM" ? await startDaemon(native) : lasting;
      try {
        outcomes.push(await trial(daemon, ending, join(scratch.path, `tree-${index}`), native));
      } finally {
        if (daemon !== lasting) await daemon.stop();
      }
      if (!bystander.isUntouched()) bystanders += 1;
    }
  } finally {
    bystander.stop();
    await lasting.stop();
    scratch.remove();
  }
  const sum = (pick: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + pick(outcome), 0);
  return {
    ending: ending.name,
    native,
    trials: outcomes.length,
    survivors: sum(({ survivors }) => survivors),
    slowestMs: Math.max(...outcomes.map(({ goneAfterMs }) => goneAfterMs)),
    unnamed: sum(({ unnamed }) => unnamed),
    bystanders,
  };
}

function complaintsOf({ ending, native, survivors, slowestMs, unnamed, bystanders }: Score): readonly string[] {
  const where = `${ending}, ${native ? "with" : "without"} native code`;
  return [
    ...(native && survivors > 0 ? [`${where}: ${survivors} survived`] : []),
    ...(native && survivors === 0 && slowestMs > WITHIN_MS ? [`${where}: the last one was gone after ${slowestMs} ms`] : []),
    ...(unnamed > 0 ? [`${where}: ${unnamed} survivors were not named as escaped`] : []),
    ...(bystanders > 0 ? [`${where}: the run beside it was touched ${bystanders} times`] : []),
  ];
}

const HEAD = row(["", "ending", "trials", "survivors", "slowest ms", "not named", "bystander"]);

function line({ ending, native, trials, survivors, slowestMs, unnamed, bystanders }: Score): string {
  const beside = bystanders === 0 ? "untouched" : `touched ${bystanders} times`;
  // Who stays has no time at which it was gone.
  return row([native ? "native" : "without", ending, trials, survivors, survivors === 0 ? slowestMs : "-", unnamed, beside]);
}

function row(cells: readonly (string | number)[]): string {
  return cells.map((cell) => String(cell).padEnd(12)).join("");
}

// What a daemon without native code leaves behind comes to us and not to the first process of the machine: it may be slow to bury them, and
// nobody else should find them there.
const native = loadNative();
native?.becomeSubreaper();
const reaper = native === null ? null : createReaper(native);
exitOnSignals();
await main();
reaper?.stop();
