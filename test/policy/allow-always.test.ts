import { describe, expect, test } from "vitest";
import { type CommandPlan, type Segment } from "../../src/analysis/command-plan.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { derivePatterns } from "../../src/policy/allow-always.ts";
import { exactArgPattern } from "../../src/policy/arg-pattern.ts";
import { satisfy } from "../../src/policy/satisfy.ts";
import { inputOf } from "./judging.ts";
import { path, plainProgram, planOf, refusedPlan, segmentOf, type Table, tableMachine } from "./table-machine.ts";

const HASH = sha256Of("the script");
const WORK: Table = { changeable: ["/proj"], worldWritable: ["/tmp"] };
const SCRIPT = { index: 1, path: path("/proj/save.sh"), plain: true };
const RG = segmentOf(plainProgram("/usr/bin/rg"), ["TODO"]);

function derive(plan: CommandPlan, scope: "executable" | "command" = "executable", hash = HASH) {
  return derivePatterns(plan, tableMachine(WORK), { scope, hashOf: () => hash });
}

describe("always stores", () => {
  test("the executable's path", () => {
    expect(derive(planOf([RG]))).toEqual({ entries: [{ pattern: "/usr/bin/rg" }], none: null, skipped: [] });
  });

  test("the exact arguments too, for one command", () => {
    expect(derive(planOf([RG]), "command").entries).toEqual([{ pattern: "/usr/bin/rg", argPattern: exactArgPattern(RG.argv, RG.cwd) }]);
  });

  test("the script and not the shell, tied to its content where the child can rewrite it", () => {
    const plan = planOf([segmentOf(plainProgram("/usr/bin/bash"), ["save.sh"], { script: SCRIPT, carries: "`bash` runs a script" })]);
    expect(derive(plan).entries).toEqual([{ pattern: "/proj/save.sh", sha256: HASH }]);
  });

  test("each program of a chain once, and says what it left out", () => {
    const ls = segmentOf(plainProgram("/usr/bin/ls"));
    const sudo = segmentOf(plainProgram("/usr/bin/sudo"), ["id"], { never: "it changes the user", storable: false });
    const derived = derive(planOf([RG, ls, RG, sudo]));
    expect(derived.entries.map((entry) => entry.pattern)).toEqual(["/usr/bin/rg", "/usr/bin/ls"]);
    expect(derived.skipped).toEqual(["`sudo` cannot be remembered: it changes the user"]);
  });

  test("the link's path where the file has another name, if root alone can move it", () => {
    const vi = { word: "awkish", linkPath: path("/usr/bin/awkish"), realPath: path("/usr/bin/multi"), linksAreRoots: true };
    expect(derive(planOf([segmentOf(vi)])).entries).toEqual([{ pattern: "/usr/bin/awkish" }]);
    expect(derive(planOf([segmentOf({ ...vi, linksAreRoots: false })])).entries).toEqual([]);
  });

  test("an interpreter only with the exact arguments", () => {
    const plan = planOf([segmentOf(plainProgram("/usr/bin/python3"), ["--version"])]);
    expect(derive(plan).none).toContain("cannot be remembered");
    expect(derive(plan, "command").entries).toHaveLength(1);
  });
});

test("start-up files of a shell that was looked through hold nothing back, because that shell is not started again", () => {
  const startup = ["the start-up files that `bash -l` reads"];
  expect(derive(planOf([RG], { unbound: startup, startup })).entries).toEqual([{ pattern: "/usr/bin/rg" }]);
  expect(derive(planOf([RG], { unbound: [...startup, "its plugins"], startup })).entries).toEqual([]);
});

test("start-up files of a shell that was looked through hold nothing back, because that shell is not started again", () => {
  const startup = ["the start-up files that `bash -l` reads"];
  expect(derive(planOf([RG], { unbound: startup, startup })).entries).toEqual([{ pattern: "/usr/bin/rg" }]);
  expect(derive(planOf([RG], { unbound: [...startup, "its plugins"], startup })).entries).toEqual([]);
});

describe("always stores nothing", () => {
  const one = (over: Partial<Segment>, at = "/usr/bin/tool") => planOf([segmentOf(plainProgram(at), ["x"], over)]);
  const rows: readonly { readonly name: string; readonly plan: CommandPlan }[] = [
    { name: "for text that was not analysed", plan: refusedPlan("miss") },
    { name: "for what loads more than can be bound", plan: { ...planOf([RG]), unbound: ["its plugins"] } },
    { name: "for inline code", plan: one({ inlineEval: "`tool -e`" }) },
    { name: "for a carrying form", plan: one({ carries: "`tool -x` starts another program" }) },
    { name: "for a wrapper that was not looked through", plan: one({ storable: false, never: "no" }) },
    { name: "for what does not resolve", plan: planOf([segmentOf(null)]) },
    { name: "for a script behind options", plan: one({ script: { ...SCRIPT, plain: false } }) },
    { name: "for a shell", plan: one({}, "/usr/bin/zsh-5.9") },
    { name: "for what lies where anyone can write", plan: one({}, "/tmp/tool") },
    { name: "for a file whose name is a pattern", plan: one({}, "/opt/a*b") },
    { name: "for a file whose name ends with a blank", plan: one({}, "/opt/tool ") },
    { name: "for a file whose name ends with a blank", plan: one({}, "/opt/tool ") },
  ];
  test.each(rows)("$name, and says why", ({ plan }) => {
    const derived = derive(plan);
    expect(derived.entries).toEqual([]);
    expect(derived.none).toEqual(expect.any(String));
  });

  test("for a file that the child can rewrite and nobody hashed", () => {
    const plan = planOf([segmentOf(plainProgram("/proj/tool"))]);
    const derived = derivePatterns(plan, tableMachine(WORK), { scope: "executable", hashOf: () => null });
    expect(derived.entries).toEqual([]);
  });
});

test("what was stored covers the same command again, until the file is another", () => {
  const plan = planOf([segmentOf(plainProgram("/usr/bin/bash"), ["save.sh"], { script: SCRIPT, carries: "`bash` runs a script" })]);
  const list = derive(plan).entries.map((entry) => ({ ...entry }));
  const again = (hash: string) =>
    satisfy(inputOf({ plan, main: { allowlist: list }, machine: tableMachine(WORK), over: { hashOf: () => sha256Of(hash) } })).ok;
  expect(again("the script")).toBe(true);
  expect(again("another script")).toBe(false);
});
