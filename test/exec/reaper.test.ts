import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createReaper, type Reaper } from "../../src/exec/reaper.ts";
import { loadNative } from "../../src/native/libc.ts";

const native = loadNative();

describe.runIf(native !== null)("the reaper (needs native code)", () => {
  let reaper: Reaper;
  beforeEach(() => {
    if (native !== null) reaper = createReaper(native);
  });
  afterEach(() => reaper.stop());

  function start(...argv: readonly string[]): number {
    const cwdFd = openSync("/", "r");
    const started = native?.spawn({ file: "/bin/sh", argv: ["sh", "-c", ...argv], environment: [], cwdFd, descriptors: [] });
    closeSync(cwdFd);
    if (started === undefined || !("pid" in started)) throw new Error("sh did not start");
    return started.pid;
  }

  /** On another thread, as in a crowd. */
  async function startBeside(...argv: readonly string[]): Promise<number> {
    const cwdFd = openSync("/", "r");
    const started = await native?.spawnBeside({ file: "/bin/sh", argv: ["sh", "-c", ...argv], environment: [], cwdFd, descriptors: [] });
    closeSync(cwdFd);
    if (started === undefined || !("pid" in started)) throw new Error("sh did not start");
    return started.pid;
  }

  const byNode = (script: string): Promise<number | null> =>
    new Promise((resolve) => {
      spawn("/bin/sh", ["-c", script], { stdio: "ignore" }).once("exit", (code) => resolve(code));
    });

  test("tells each child's own end", async () => {
    const statuses = await Promise.all([start("exit 3"), start("kill -9 $$"), start("exit 0")].map((pid) => reaper.ended(pid)));
    expect(statuses).toEqual([
      { exitCode: 3, signal: null },
      { exitCode: null, signal: 9 },
      { exitCode: 0, signal: null },
    ]);
  });

  test("leaves Node's own children to Node, whichever ends first", async () => {
    const trials = Array.from({ length: 30 }, async (_, trial) => {
      const theirs = byNode(`exit ${trial}`);
      const ours = reaper.ended(start(`exit ${trial + 100}`));
      expect(await theirs).toBe(trial);
      expect(await ours).toEqual({ exitCode: trial + 100, signal: null });
    });
    await Promise.all(trials);
  });

  test("does not bury a child whose number is not known yet, and tells its end as soon as it is", async () => {
    const isKnown = reaper.expect();
    const unknown = await startBeside("exit 7");
    const others = [start("exit 1"), start("exit 2")].map((pid) => reaper.ended(pid));
    // Those behind it are heard of all the same.
    expect(await Promise.all(others)).toEqual([
      { exitCode: 1, signal: null },
      { exitCode: 2, signal: null },
    ]);
    await sleep(50);
    reaper.sweep();
    const ended = reaper.ended(unknown);
    isKnown();
    expect(await ended).toEqual({ exitCode: 7, signal: null });
  });

  test("buries strangers again once nobody is expected any more", async () => {
    const isKnown = reaper.expect();
    const stranger = await startBeside("exit 0");
    await sleep(50);
    expect(existsSync(`/proc/${stranger}`)).toBe(true);
    isKnown();
    await sleep(50);
    expect(existsSync(`/proc/${stranger}`)).toBe(false);
  });

  test("buries those who came to us while somebody is expected", async () => {
    const isKnown = reaper.expect();
    const unknown = await startBeside("exit 0");
    const adopted = start("exit 0");
    await sleep(100);
    expect([unknown, adopted].map((pid) => existsSync(`/proc/${pid}`))).toEqual([true, false]);
    isKnown();
  });

  test("knows a child of Node's only while it lives", async () => {
    const child = spawn("/bin/sleep", ["9"], { stdio: "ignore" });
    await sleep(20);
    expect(reaper.isForeign(child.pid ?? 0)).toBe(true);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    expect(reaper.isForeign(child.pid ?? 0)).toBe(false);
  });
});
