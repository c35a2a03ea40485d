import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { DESCRIPTORS_COUNTED_EVERY_MS } from "../../src/core/limits.ts";
import { childLimitOf } from "../../src/exec/child-limit.ts";
import { loadNative } from "../../src/native/libc.ts";

const native = loadNative();

describe.runIf(native !== null)("the children's limit on descriptors (needs native code)", () => {
  const own = native?.descriptorLimit() ?? { soft: 0, hard: 0 };
  const limitWith = (soft: number) => {
    if (native === null) throw new Error("no native code");
    const childDescriptors = { soft, hard: own.hard };
    return childLimitOf(native, { childDescriptors, ownDescriptors: own, isSubreaper: true, isUndumpable: true });
  };
  const softNow = (): number | undefined => native?.descriptorLimit().soft;

  test("is ours from the first start beside us to the end of the last, and a start at once in between changes nothing", () => {
    const limit = limitWith(own.soft - 1);
    const [first, second] = [limit.enter(), limit.enter()];
    expect(softNow()).toBe(own.soft - 1);
    expect(limit.during(softNow)).toBe(own.soft - 1);
    first?.();
    expect(softNow()).toBe(own.soft - 1);
    second?.();
    expect(softNow()).toBe(own.soft);
  });

  test("is not taken on for a start beside us while we have half as many open ourselves", async () => {
    const opened: number[] = [];
    const limit = limitWith(1000);
    try {
      const few = limit.enter();
      expect(few).not.toBeNull();
      few?.();
      while (opened.length < 500) opened.push(openSync("/dev/null", "r"));
      await sleep(DESCRIPTORS_COUNTED_EVERY_MS + 10);
      expect(limit.enter()).toBeNull();
      expect(softNow()).toBe(own.soft);
    } finally {
      for (const fd of opened) closeSync(fd);
    }
    await sleep(DESCRIPTORS_COUNTED_EVERY_MS + 10);
    const again = limit.enter();
    expect(again).not.toBeNull();
    again?.();
  });

  test.runIf(own.soft > 2000)("does not keep us from what we open ourselves meanwhile (needs a limit of our own above 2000)", () => {
    const opened: number[] = [];
    const limit = limitWith(1000);
    const leave = limit.enter();
    try {
      expect(leave).not.toBeNull();
      while (opened.length < 1001) opened.push(limit.within(() => openSync("/dev/null", "r")));
      expect(softNow()).toBe(own.soft);
    } finally {
      for (const fd of opened) closeSync(fd);
      leave?.();
    }
    expect(softNow()).toBe(own.soft);
    // With nobody being started beside us there is nothing to give way.
    expect(() => limit.within(() => openSync("/nowhere", "r"))).toThrow("ENOENT");
  });
});
