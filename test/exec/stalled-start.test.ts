/** A start on another thread may take as long as that thread is kept from it. Until it is over nothing that it rests on may go. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, realpathSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LAST_WORDS_MS, RUN_TERMINATE_GRACE_MS, RUN_TREE_GONE_WITHIN_MS, STARTED_AT_ONCE_MAX } from "../../src/core/limits.ts";
import { loadNative } from "../../src/native/libc.ts";
import { workingIn } from "../support/processes.ts";
import { type Lab, openLab } from "./launching.ts";

const POOL_THREADS = 4;
const GIVEN_UP_AFTER_MS = RUN_TERMINATE_GRACE_MS + RUN_TREE_GONE_WITHIN_MS + LAST_WORDS_MS;

describe.runIf(loadNative() !== null)("while the pool's threads are kept from their work (needs native code)", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab(loadNative());
  });
  afterEach(() => lab.stop());

  test("a run that was ended meanwhile is not over, and its process is ended as soon as it is there", async () => {
    const work = realpathSync(join(lab.root, "work"));
    const fifo = join(work, "fifo");
    execFileSync("mkfifo", [fifo]);
    // Opening a FIFO to read waits for a writer: each of these takes a thread.
    const blocked: Promise<FileHandle>[] = Array.from({ length: POOL_THREADS }, () => open(fifo, "r"));
    await sleep(100);
    let answered = 0;
    const runs = Array.from({ length: STARTED_AT_ONCE_MAX + 6 }, async () => {
      const { result } = await lab.run(["/bin/sleep", "60"], { io: { timeoutMs: 100 } });
      answered += 1;
      return result;
    });
    await sleep(100 + GIVEN_UP_AFTER_MS + 500);
    const before = answered;
    const writer = openSync(fifo, "r+");
    const results = await Promise.all(runs);
    for (const handle of await Promise.all(blocked)) await handle.close();
    closeSync(writer);
    expect(before).toBe(0);
    for (const result of results) {
      if (result.ok) expect(result.value).toMatchObject({ timedOut: true, escaped: [] });
      else expect(result.failure.code).toBe("exec.timed-out");
    }
    expect(workingIn(work)).toEqual([]);
  });
});
