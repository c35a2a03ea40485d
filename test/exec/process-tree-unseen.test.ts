import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isRunId } from "../../src/core/ids.ts";
import { createLivingRuns } from "../../src/exec/living-runs.ts";
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
