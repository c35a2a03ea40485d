import {
  type BigIntStats,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  HASH_CACHE_FILES_MAX,
  HASH_CACHE_SETTLED_MS,
  HASH_INLINE_BYTES_MAX,
  HASH_QUEUE_FILES_MAX,
  HASH_THREAD_IDLE_MS,
} from "../../src/core/limits.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { createHashCache } from "../../src/exec/hash-cache.ts";
import { createHashThread } from "../../src/exec/hash-thread.ts";
import { createHashing } from "../../src/exec/hashing.ts";
import type { Opened } from "../../src/exec/open-file.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
beforeAll(() => {
  scratch = scratchDirectory();
});
afterAll(() => scratch.remove());

function planted(name: string, content: string | Uint8Array): Opened {
  const path = join(scratch.path, name);
  writeFileSync(path, content);
  const fd = openSync(path, "r+");
  return { fd, stats: fstatSync(fd, { bigint: true }) };
}

const LATER_MS = 60_000;
const ONE = sha256Of("one");

describe("the cache of hashes", () => {
  function statsOf(name: string): BigIntStats {
    const path = join(scratch.path, name);
    writeFileSync(path, name);
    return statSync(path, { bigint: true });
  }

  test("knows a file by everything that stat(2) says of its content", () => {
    const cache = createHashCache();
    const stats = statsOf("known");
    cache.put(stats, ONE, Date.now() + LATER_MS);
    expect(cache.get(stats)).toBe(ONE);
    for (const field of ["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const) {
      const other = Object.assign(Object.create(stats), { [field]: stats[field] + 1n });
      expect(cache.get(other), field).toBeUndefined();
    }
  });

  test("keeps nothing about a file that changed within two seconds of being hashed, nor in the future", () => {
    const stats = statsOf("fresh");
    const changedMs = Number(stats.ctimeMs);
    for (const hashedAtMs of [changedMs - LATER_MS, changedMs, changedMs + HASH_CACHE_SETTLED_MS - 1]) {
      const cache = createHashCache();
      cache.put(stats, ONE, hashedAtMs);
      expect(cache.get(stats)).toBeUndefined();
    }
    const cache = createHashCache();
    cache.put(stats, ONE, changedMs + HASH_CACHE_SETTLED_MS + 1);
    expect(cache.get(stats)).toBe(ONE);
  });

  test("forgets what was not asked for longest, beyond its bound", () => {
    const cache = createHashCache();
    const stats = statsOf("many");
    const nth = (index: number): BigIntStats => Object.assign(Object.create(stats), { ino: BigInt(index) });
    for (let index = 0; index < HASH_CACHE_FILES_MAX; index += 1) cache.put(nth(index), ONE, Date.now() + LATER_MS);
    expect(cache.get(nth(0))).toBe(ONE);
    cache.put(nth(HASH_CACHE_FILES_MAX), ONE, Date.now() + LATER_MS);
    expect(cache.get(nth(0))).toBe(ONE);
    expect(cache.get(nth(1))).toBeUndefined();
    expect(cache.get(nth(2))).toBe(ONE);
  });
});

describe("hashing", () => {
  const sizes = [0, 1, HASH_INLINE_BYTES_MAX, HASH_INLINE_BYTES_MAX + 1, 3 * HASH_INLINE_BYTES_MAX + 17];

  test.each(sizes)("gives the hash of all %i bytes, and those bytes themselves", async (size) => {
    const content = Buffer.alloc(size, "abcdefg");
    const opened = planted(`sized-${size}`, content);
    const hashing = createHashing(Date.now);
    expect(await hashing.hashOf(opened, false)).toBe(sha256Of(content));
    const found = await hashing.contentOf(opened);
    expect(found).toMatchObject({ sha256: sha256Of(content) });
    expect(typeof found === "object" && Buffer.compare(found.content, content)).toBe(0);
    hashing.stop();
    closeSync(opened.fd);
  });

  test.each([10, 2 * HASH_INLINE_BYTES_MAX])("says so when a file of %i bytes grew or shrank since it was looked at", async (size) => {
    const hashing = createHashing(Date.now);
    for (const change of [1, -1]) {
      const opened = planted("moving", Buffer.alloc(size));
      ftruncateSync(opened.fd, size + change);
      expect(await hashing.hashOf(opened, false)).toBe("changed");
      expect(await hashing.contentOf(opened)).toBe("changed");
      closeSync(opened.fd);
    }
    hashing.stop();
  });

  test("reads a file again unless its times can be trusted to tell of every change", async () => {
    const hashing = createHashing(() => Date.now() + LATER_MS);
    const opened = planted("program", "one");
    const before = await hashing.hashOf(opened, true);
    // Behind the cache's back: the stat that it was looked up by stays the same.
    writeSync(opened.fd, "two", 0);
    expect(await hashing.hashOf(opened, true)).toBe(before);
    expect(await hashing.hashOf(opened, false)).toBe(sha256Of("two"));
    closeSync(opened.fd);
  });

  test("leaves the loop free while a large file is hashed", async () => {
    const opened = planted("large", "");
    const bytes = 200 * HASH_INLINE_BYTES_MAX;
    ftruncateSync(opened.fd, bytes);
    const hashing = createHashing(Date.now);
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    const began = performance.now();
    await hashing.hashOf({ fd: opened.fd, stats: fstatSync(opened.fd, { bigint: true }) }, false);
    clearInterval(turning);
    expect(turns).toBeGreaterThan((performance.now() - began) / 20);
    hashing.stop();
    closeSync(opened.fd);
  });
});

describe("the hashing thread", () => {
  test("answers a file that cannot be read as failed, and goes on", async () => {
    const thread = createHashThread();
    expect(await thread.hash({ fd: 999_999, bytes: 1, keep: false })).toBe("failed");
    const opened = planted("good", "good");
    expect(await thread.hash({ fd: opened.fd, bytes: 4, keep: false })).toMatchObject({ sha256: sha256Of("good") });
    closeSync(opened.fd);
    thread.stop();
  });

  test("takes as many files as its bound and refuses the next", async () => {
    const thread = createHashThread();
    const opened = planted("queued", "queued");
    const job = { fd: opened.fd, bytes: 6, keep: false };
    const answers = Array.from({ length: HASH_QUEUE_FILES_MAX }, () => thread.hash(job));
    expect(await thread.hash(job)).toBe("full");
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ sha256: sha256Of("queued") });
    expect(await thread.hash(job)).toMatchObject({ sha256: sha256Of("queued") });
    closeSync(opened.fd);
    thread.stop();
  });

  test("answers everyone who waits when it is stopped, and starts again when it is needed", async () => {
    const thread = createHashThread();
    const opened = planted("stopped", "stopped");
    const job = { fd: opened.fd, bytes: 7, keep: true };
    const waiting = [thread.hash(job), thread.hash(job)];
    thread.stop();
    expect(await Promise.all(waiting)).toEqual(["failed", "failed"]);
    expect(await thread.hash(job)).toMatchObject({ sha256: sha256Of("stopped") });
    closeSync(opened.fd);
    thread.stop();
  });

  test.runIf(existsSync("/proc/self/task"))("ends when nothing was hashed for a while (needs /proc)", async () => {
    const threads = (): number => readdirSync("/proc/self/task").length;
    // Those of the tests before are still on their way out.
    for (let last = 0; last !== threads(); await sleep(200)) last = threads();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const thread = createHashThread();
      const opened = planted("idle", "idle");
      const before = threads();
      await thread.hash({ fd: opened.fd, bytes: 4, keep: false });
      vi.advanceTimersByTime(HASH_THREAD_IDLE_MS - 1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(threads()).toBeGreaterThan(before);
      vi.advanceTimersByTime(1);
      while (threads() > before) await new Promise((resolve) => setImmediate(resolve));
      expect(await thread.hash({ fd: opened.fd, bytes: 4, keep: false })).toMatchObject({ sha256: sha256Of("idle") });
      closeSync(opened.fd);
      thread.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  test("never takes the last word of the thread before for its own answer", async () => {
    const thread = createHashThread();
    const [one, two] = [planted("one", "one"), planted("two", "two")];
    for (let round = 0; round < 10; round += 1) {
      await thread.hash({ fd: one.fd, bytes: 3, keep: false });
      const cut = thread.hash({ fd: one.fd, bytes: 3, keep: false });
      // Long enough for its answer to be on the way, and not a turn of the loop in which it could arrive.
      const untilMs = performance.now() + 5;
      while (performance.now() < untilMs);
      thread.stop();
      expect(await thread.hash({ fd: two.fd, bytes: 3, keep: false })).toMatchObject({ sha256: sha256Of("two") });
      expect(await cut).toBe("failed");
    }
    for (const { fd } of [one, two]) closeSync(fd);
    thread.stop();
  });
});
