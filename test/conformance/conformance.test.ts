import { join } from "node:path";
import { expect, test } from "vitest";
import { playFolder, readDisputed } from "./play.ts";

const VECTORS = join(import.meta.dirname, "../../fixtures/vectors");

const scores = await playFolder(VECTORS, readDisputed(VECTORS));

test.each(scores)("every case of $area holds", ({ complaints, passed, disputed }) => {
  expect(complaints).toEqual([]);
  expect(passed + disputed).toBeGreaterThan(0);
});
