import { describe, expect, test } from "vitest";
import { chooseStateDirectory } from "../../src/store/state-paths.ts";

interface Case {
  readonly name: string;
  readonly flag?: string;
  readonly env?: Record<string, string>;
  readonly expected: string | null;
}

const CASES: readonly Case[] = [
  { name: "the home directory, when nothing else is said", expected: "/home/u/.local/state/countersign" },
  { name: "$XDG_STATE_HOME goes before the home directory", env: { XDG_STATE_HOME: "/x" }, expected: "/x/countersign" },
  {
    name: "a relative $XDG_STATE_HOME is ignored, as its specification asks",
    env: { XDG_STATE_HOME: "x" },
    expected: "/home/u/.local/state/countersign",
  },
  {
    name: "an empty variable is an absent one",
    env: { COUNTERSIGN_STATE_DIR: "", XDG_STATE_HOME: "" },
    expected: "/home/u/.local/state/countersign",
  },
  { name: "our own variable goes before XDG's", env: { COUNTERSIGN_STATE_DIR: "/own/", XDG_STATE_HOME: "/x" }, expected: "/own" },
  { name: "the flag goes before all", flag: "/flag", env: { COUNTERSIGN_STATE_DIR: "/own" }, expected: "/flag" },
  { name: "a relative flag is taken from the working directory", flag: "../s", expected: "/proj/s" },
  { name: "a relative variable has no directory to be relative to", env: { COUNTERSIGN_STATE_DIR: "own" }, expected: null },
  { name: "an empty flag is a mistake, not the working directory", flag: "", expected: null },
  { name: "a NUL names nothing", env: { COUNTERSIGN_STATE_DIR: "/a\0b" }, expected: null },
];

describe("choosing the state directory", () => {
  test.each(CASES)("$name", ({ flag, env = {}, expected }) => {
    const chosen = chooseStateDirectory({ flag, env, home: "/home/u", cwd: "/proj/here" });
    expect(chosen).toMatchObject(expected === null ? { ok: false, failure: { code: "config.invalid" } } : { ok: true, value: expected });
  });
});
