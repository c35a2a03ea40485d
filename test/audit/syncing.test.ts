import { expect, test } from "vitest";
import { createSyncing } from "../../src/audit/syncing.ts";
import { SYNC_HERE_MS_MAX } from "../../src/core/limits.ts";

function disk() {
  const state = { takesMs: 0, nowMs: 0, fails: false };
  const ways: string[] = [];
  const work = (way: string): void => {
    ways.push(way);
    state.nowMs += state.takesMs;
    if (state.fails) throw new Error("EIO");
  };
  const sync = createSyncing({ here: () => work("here"), beside: async () => work("beside"), nowMs: () => state.nowMs });
  return { state, ways, sync };
}

test("a disk that was seen to be quick is waited for here, when nobody else has to be served", async () => {
  const { state, ways, sync } = disk();
  state.takesMs = SYNC_HERE_MS_MAX;
  await sync("all");
  await sync("all");
  await sync("some");
  await sync("all");
  expect(ways).toEqual(["beside", "here", "beside", "here"]);
});

test("a slow one holds up the loop once, and not again before it was quick again", async () => {
  const { state, ways, sync } = disk();
  await sync("all");
  state.takesMs = SYNC_HERE_MS_MAX + 0.1;
  await sync("all");
  await sync("all");
  await sync("all");
  expect(ways).toEqual(["beside", "here", "beside", "beside"]);
  state.takesMs = 0;
  await sync("all");
  await sync("all");
  expect(ways.slice(4)).toEqual(["beside", "here"]);
});

test("a failure is the caller's, and nothing quick", async () => {
  const { state, ways, sync } = disk();
  await sync("all");
  state.fails = true;
  await expect(sync("all")).rejects.toThrow("EIO");
  await expect(sync("all")).rejects.toThrow("EIO");
  expect(ways).toEqual(["beside", "here", "beside"]);
});
