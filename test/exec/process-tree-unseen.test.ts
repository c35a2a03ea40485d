import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { isRunId } from "../../src/core/ids.ts";
import { createLivingRuns } from "../../src/exec/living-runs.ts";
import { readProcesses } from "../../src/exec/process-table.ts";
import { createProcessTree } from "../../src/exec/process-tree.ts";
import { loadNative } from "../../src/native/libc.ts";

const native = loadNative();

test.runIf(native !== null)(
  "whoever cannot look, being out of descriptors, ends those it knows and does not say that nobody is left (needs native code)",
  async () => {
    const runId = randomUUID();
    if (native === null || !isRunId(runId)) return;
    const runs = createLivingRuns(false);
    const run = runs.open(runId);
    const child = spawn("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 60; done"], { detached: true, stdio: "ignore" });
    const gone = once(child, "exit").then(() => runs.ended(run, child.pid ?? 0));
    runs.started(run, child.pid ?? 0);
    const tree = createProcessTree(runs, { isForeign: () => false, sweep: () => undefined }, false);
    const { soft, hard } = native.descriptorLimit();
    native.setDescriptorLimit(1, hard);
    try {
      const escaped = await tree.end(run);
      await gone;
      expect([child.signalCode, escaped.length]).toEqual(["SIGKILL", 1]);
    } finally {
      native.setDescriptorLimit(soft, hard);
    }
    expect(await tree.end(run)).toEqual([]);
  },
);

/** Takes and gives back a descriptor, again and again, as a pool thread does. */
const GREEDY = `
  const fs = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  parentPort.postMessage("ready");
  while (Atomics.load(workerData, 0) === 0) {
    try { fs.closeSync(fs.openSync("/dev/null")); } catch {}
  }
`;

test.runIf(native !== null)("a look that lost its descriptor half-way is not taken for a whole one (needs native code)", async () => {
  if (native === null) return;
  const child = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(GREEDY, { eval: true, workerData: stop });
  await once(worker, "message");
  const own = native.descriptorLimit();
  const filled: number[] = [];
  // Whatever else this process does meanwhile, one is left: the one that both are after.
  const leaveOne = (): void => {
    try {
      for (;;) filled.push(openSync("/dev/null", "r"));
    } catch {
      closeSync(filled.pop() ?? -1);
    }
  };
  native.setDescriptorLimit(Math.max(...readdirSync("/proc/self/fd").map(Number)) + 2, own.hard);
  let halves = 0;
  const wrong: string[] = [];
  try {
    for (const until = performance.now() + 10_000; halves < 3 && performance.now() < until; ) {
      leaveOne();
      const { table, isWhole } = readProcesses();
      if (isWhole && !table.has(child.pid ?? -1)) wrong.push("a whole look without the child");
      if (!isWhole && table.has(process.pid)) halves += 1;
    }
  } finally {
    native.setDescriptorLimit(own.soft, own.hard);
    Atomics.store(stop, 0, 1);
    for (const fd of filled) closeSync(fd);
    child.kill("SIGKILL");
    await Promise.all([once(worker, "exit"), once(child, "exit")]);
  }
  expect([wrong, halves > 0]).toEqual([[], true]);
});
