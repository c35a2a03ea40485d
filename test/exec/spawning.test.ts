import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { SPAWNS_BESIDE_MAX } from "../../src/core/limits.ts";
import { createReaper } from "../../src/exec/reaper.ts";
import { createSpawning } from "../../src/exec/spawning.ts";
import { loadNative } from "../../src/native/libc.ts";

const native = loadNative();

test.runIf(native !== null)("a start that failed before it began gives its place to the next (needs native code)", async () => {
  if (native === null) return;
  let failures = SPAWNS_BESIDE_MAX * 2;
  const enter = (): (() => void) => {
    failures -= 1;
    if (failures >= 0) throw new Error("EMFILE");
    return () => undefined;
  };
  const limit = { during: <Value>(spawn: () => Value) => spawn(), enter, within: <Value>(open: () => Value) => open() };
  const reaper = createReaper(native);
  const spawnBeside = async (): Promise<{ readonly errno: number }> => ({ errno: 2 });
  const spawning = createSpawning({ native: { ...native, spawnBeside }, reaper, limit, isCrowded: () => true });
  const request = { file: "/nowhere", argv: ["x"], environment: [], cwdFd: -1, descriptors: [] };
  const start = async (): Promise<unknown> => spawning.start(request, { how: "may-be-beside", mark: 1, objection: () => null });
  const outcomes = await Promise.allSettled(Array.from({ length: SPAWNS_BESIDE_MAX * 3 }, start));
  reaper.stop();
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(SPAWNS_BESIDE_MAX * 2);
  expect(outcomes.slice(-1)).toEqual([{ status: "fulfilled", value: { errno: 2 } }]);
});

test.runIf(native !== null)(
  "whoever asks for all to be born waits for those under way, and not for who starts later (needs native code)",
  async () => {
    if (native === null) return;
    const answers: ((outcome: { readonly errno: number }) => void)[] = [];
    const spawnBeside = (): Promise<{ readonly errno: number }> => new Promise((answer) => void answers.push(answer));
    const limit = {
      during: <Value>(spawn: () => Value) => spawn(),
      enter: () => () => undefined,
      within: <Value>(open: () => Value) => open(),
    };
    const reaper = createReaper(native);
    const spawning = createSpawning({ native: { ...native, spawnBeside }, reaper, limit, isCrowded: () => true });
    const request = { file: "/nowhere", argv: ["x"], environment: [], cwdFd: -1, descriptors: [] };
    const start = async (): Promise<unknown> => spawning.start(request, { how: "may-be-beside", mark: 1, objection: () => null });
    expect(spawning.allBorn()).toBeNull();
    const first = start();
    let isBorn = false;
    const born = spawning.allBorn()?.then(() => {
      isBorn = true;
    });
    const second = start();
    await sleep(10);
    expect(isBorn).toBe(false);
    answers[0]?.({ errno: 2 });
    await Promise.all([first, born]);
    expect([isBorn, answers.length, spawning.allBorn() === null]).toEqual([true, 2, false]);
    answers[1]?.({ errno: 2 });
    await second;
    reaper.stop();
    expect(spawning.allBorn()).toBeNull();
  },
);
