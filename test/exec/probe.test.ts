import { openSync, readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { enforcementOf } from "../../src/exec/enforcement.ts";
import { probe } from "../../src/exec/probe.ts";
import { loadNative } from "../../src/native/libc.ts";
import type { Native } from "../../src/native/native.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

const native = loadNative();

describe.runIf(native !== null)("the self-test on decoys (needs native code)", () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = scratchDirectory();
  });
  afterEach(() => scratch.remove());

  const real = (): Native => {
    if (native === null) throw new Error("no native code");
    return native;
  };

  test("finds that everything holds here, quickly, and leaves nothing behind", () => {
    probe(real(), scratch.path);
    const open = readdirSync("/proc/self/fd").length;
    const startedAt = performance.now();
    expect(probe(real(), scratch.path)).toEqual({ seals: true, spawns: true, leasesHold: true });
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(readdirSync("/proc/self/fd").length).toBe(open);
    expect(readdirSync(scratch.path)).toEqual([]);
  });

  test.each<[string, Partial<Native>, object]>([
    ["a seal that does not hold", { sealedFile: (_name, bytes) => unsealed(scratch.path, bytes) }, { seals: false, spawns: true }],
    ["a lease that is refused", { takeReadLease: () => false }, { seals: true, spawns: true, leasesHold: false }],
    ["a start that fails", { spawn: () => ({ errno: 2 }) }, { spawns: false, leasesHold: false }],
    [
      "another program than the one that was meant",
      { spawn: (request) => real().spawn({ ...request, file: "/bin/sh" }) },
      { spawns: false },
    ],
    ["a directory that was not entered", { spawn: (request) => real().spawn({ ...request, cwdFd: rootDirectory() }) }, { spawns: false }],
  ])("sees %s", (_, broken, expected) => {
    expect(probe({ ...real(), ...broken }, scratch.path)).toMatchObject(expected);
  });

  test("claims nothing where it could not try", () => {
    expect(probe(real(), join(scratch.path, "absent"))).toEqual({ seals: false, spawns: false, leasesHold: false });
  });
});

describe("what is said of the level", () => {
  const own = { childDescriptors: null, ownDescriptors: null, isSubreaper: true, isUndumpable: true };

  test("each part says in words what it rests on, and the weakest of what starts is the level of the whole", () => {
    const sealed = enforcementOf({ seals: true, spawns: true, leasesHold: true }, own, true);
    expect(sealed.level).toBe("sealed");
    expect(sealed.parts.map(({ part }) => part)).toEqual(["script", "executable", "cwd", "tree"]);
    expect(enforcementOf(null, { ...own, isSubreaper: false }, true)).toMatchObject({
      level: "pinned",
      parts: [{}, {}, {}, { level: "pinned" }],
    });
    expect(enforcementOf(null, { ...own, isSubreaper: false }, false)).toMatchObject({ level: "checked" });
    const texts = [true, false].map(
      (leasesHold) => enforcementOf({ seals: true, spawns: true, leasesHold }, own, true).parts[1]?.["rests"],
    );
    expect(texts[0]).not.toBe(texts[1]);
  });
});

/** Looks the same and can be written to. */
function unsealed(directory: string, bytes: Uint8Array): number {
  const path = join(directory, "unsealed");
  writeFileSync(path, bytes);
  const fd = openSync(path, "r+");
  unlinkSync(path);
  return fd;
}

function rootDirectory(): number {
  return openSync("/", "r");
}
