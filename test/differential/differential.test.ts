import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTextOf } from "../../src/analysis/chain.ts";
import { compare, type Reader } from "./compare.ts";
import { type RecordingShell, recordingShells } from "./recording-shell.ts";
import { WEAK_READERS } from "./weak-readers.ts";

const SEED = Number(process.env["DIFFERENTIAL_SEED"] ?? Date.now() % 2 ** 31);
const WITHIN_MS = 8_000;
const { shells, remove } = recordingShells();

beforeAll(() => console.log(`differential test: seed ${SEED} against ${shells.map(({ name }) => name).join(", ")}`));
afterAll(remove);

const ours: Reader = (text, shell) => {
  const read = readTextOf(shell, text);
  return read.ok ? read.value : null;
};

function shellsNamed(...names: readonly string[]): readonly RecordingShell[] {
  return shells.filter(({ name }) => names.includes(name));
}

test("at least bash is here to compare with", () => {
  expect(shells.map(({ name }) => name)).toContain("bash");
});

test("a recording shell writes down words, order and endings", async () => {
  for (const shell of shells) {
    const [chain, pipe, words] = await shell.record(["a && c && b; c || ab x", "a | b & c", "a '' ' ' \"\\$x\" \\* é"]);
    expect(chain).toEqual([["a"], ["c"], ["c"], ["ab", "x"]]);
    expect(new Set((pipe ?? []).map(([name]) => name))).toEqual(new Set(["a", "b", "c"]));
    expect(words).toEqual([["a", "", " ", "$x", "*", "é"]]);
  }
});

test("a text that ends the shell is told apart from one that runs nothing", async () => {
  const [bash] = shellsNamed("bash");
  expect(await bash?.record(["a", "exit", "b"])).toEqual([[["a"]], null, null]);
});

test(
  "every text that is accepted runs exactly the planned commands in every shell of this machine",
  async () => {
    const report = await compare(ours, shells, { seed: SEED, count: 1_000_000, withinMs: WITHIN_MS });
    expect(report.disagreements).toEqual([]);
    // A generator that only makes refused texts would prove nothing.
    expect(report.accepted / report.generated).toBeGreaterThan(0.2);
    expect(report.accepted).toBeGreaterThan(500);
  },
  3 * WITHIN_MS,
);

describe("the comparison finds out a reader", () => {
  test.each(WEAK_READERS)("$name", async ({ read }) => {
    const report = await compare(read, shellsNamed("bash", "dash"), { seed: 1, count: 20_000, withinMs: 20_000, disagreementsMax: 1 });
    expect(report.disagreements).toHaveLength(1);
  });
});
