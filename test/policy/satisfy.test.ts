import { describe, expect, test } from "vitest";
import type { Segment } from "../../src/analysis/command-plan.ts";
import type { JsonValue } from "../../src/core/json.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { exactArgPattern } from "../../src/policy/arg-pattern.ts";
import { satisfy } from "../../src/policy/satisfy.ts";
import { type Case, inputOf } from "./judging.ts";
import { path, plainProgram, planOf, segmentOf, type Table, tableMachine } from "./table-machine.ts";

interface Row {
  readonly name: string;
  readonly segment: Segment;
  readonly list: readonly JsonValue[];
  /** The pattern that covers it, or nothing. */
  readonly by: string | null;
  readonly table?: Table;
  readonly settings?: Case["settings"];
  readonly over?: Case["over"];
}

function check({ segment, list, by, table = {}, settings = {}, over = {} }: Row): void {
  const found = satisfy(inputOf({ plan: planOf([segment]), main: { allowlist: list }, machine: tableMachine(table), settings, over }));
  expect(found.ok ? found.by.map((match) => match.pattern) : null).toEqual(by === null ? null : [by]);
}

const BUSYBOX = { word: "ls", linkPath: path("/usr/bin/ls"), realPath: path("/usr/bin/busybox"), linksAreRoots: true };
const PYTHON = { word: "python3", linkPath: path("/usr/bin/python3"), realPath: path("/usr/bin/python3.11"), linksAreRoots: true };
const LOOSE = { word: "tool", linkPath: path("/home/u/bin/tool"), realPath: path("/usr/bin/env"), linksAreRoots: false };
const GIT = plainProgram("/usr/bin/git");
const SCRIPT = { index: 1, path: path("/proj/deploy.sh"), plain: true };
const bash = (word = "bash", at = "/usr/bin/bash") => plainProgram(at, word);

describe("an entry means a file", () => {
  const rows: readonly Row[] = [
    { name: "by its path", segment: segmentOf(GIT), list: ["/usr/bin/git"], by: "/usr/bin/git" },
    { name: "and not its neighbour", segment: segmentOf(GIT), list: ["/usr/bin/gitk"], by: null },
    {
      name: "through a directory that is a link",
      segment: segmentOf(GIT),
      list: ["/bin/git"],
      by: "/bin/git",
      table: { links: { "/bin": "usr/bin" } },
    },
    { name: "below the child's home", segment: segmentOf(plainProgram("/home/u/x/bin/rg")), list: ["~/**/bin/rg"], by: "~/**/bin/rg" },
    { name: "not below another's", segment: segmentOf(plainProgram("/home/v/bin/rg")), list: ["~/bin/rg", "~v/bin/rg"], by: null },
    { name: "with its version", segment: segmentOf(PYTHON), list: ["/usr/bin/python3.11"], by: "/usr/bin/python3.11" },
    { name: "or by a link that root alone can move", segment: segmentOf(PYTHON), list: ["/usr/bin/python3"], by: "/usr/bin/python3" },
    { name: "an applet by its own name", segment: segmentOf(BUSYBOX), list: ["/usr/bin/ls"], by: "/usr/bin/ls" },
    { name: "but not by that of the multiplexer", segment: segmentOf(BUSYBOX), list: ["/usr/bin/busybox"], by: null },
    { name: "a link that others can move covers nothing", segment: segmentOf(LOOSE), list: ["/home/u/bin/tool", "/usr/bin/env"], by: null },
    { name: "what does not resolve is covered by nothing", segment: segmentOf(null), list: ["*", "nothing", "**"], by: null },
    {
      name: "a segment that may never run is covered by nothing",
      segment: segmentOf(GIT, [], { never: "no" }),
      list: ["*", "/usr/bin/git"],
      by: null,
    },
  ];
  test.each(rows)("$name", check);
});

describe("a bare name", () => {
  const home = segmentOf(plainProgram("/home/u/bin/rg"));
  const rows: readonly Row[] = [
    { name: "means a command in a trusted directory", segment: segmentOf(GIT), list: ["git"], by: "git", table: { changeable: ["/usr"] } },
    { name: "or one that the child cannot change", segment: home, list: ["r?"], by: "r?" },
    { name: "not one that it can", segment: home, list: ["rg"], by: null, table: { changeable: ["/home/u"] } },
    { name: "nor one that is called by its path", segment: segmentOf(plainProgram("/usr/bin/git", "./git")), list: ["git"], by: null },
    { name: "nor one behind a link that others can move", segment: segmentOf(LOOSE), list: ["tool"], by: null },
    { name: "a star alone means anything that resolves", segment: home, list: ["*"], by: "*", table: { changeable: ["/home/u"] } },
    { name: "more stars without a path mean nothing", segment: segmentOf(GIT), list: ["**", "***"], by: null },
    { name: "two stars mean paths, and here all of them", segment: home, list: ["/**"], by: "/**" },
  ];
  test.each(rows)("$name", check);
});

describe("a script's entry", () => {
  const rows: readonly Row[] = [
    {
      name: "covers the script",
      segment: segmentOf(bash(), ["deploy.sh"], { script: SCRIPT }),
      list: ["/proj/deploy.sh"],
      by: "/proj/deploy.sh",
    },
    {
      name: "not with options before it",
      segment: segmentOf(bash(), ["-x", "deploy.sh"], { script: { ...SCRIPT, plain: false } }),
      list: ["/proj/deploy.sh"],
      by: null,
    },
    {
      name: "not under an interpreter that the child could have put there",
      segment: segmentOf(bash("/proj/bash", "/proj/bash"), ["deploy.sh"], { script: SCRIPT }),
      list: ["/proj/deploy.sh"],
      by: null,
      table: { changeable: ["/proj"] },
    },
  ];
  test.each(rows)("$name", check);
});

describe("an entry can be narrowed", () => {
  const status = segmentOf(GIT, ["status", "-s"]);
  const carrying = segmentOf(GIT, ["-c", "core.pager=x", "status"], { carries: "`git -c` sets what git starts" });
  const digest = sha256Of("v1");
  const rows: readonly Row[] = [
    { name: "by an expression", segment: status, list: [{ pattern: "/usr/bin/git", argPattern: "status( -s)?" }], by: "/usr/bin/git" },
    { name: "that must match all of it", segment: status, list: [{ pattern: "/usr/bin/git", argPattern: "status" }], by: null },
    { name: "an invalid one matches nothing", segment: status, list: [{ pattern: "/usr/bin/git", argPattern: "(" }], by: null },
    {
      name: "look-around is not linear, so it matches nothing",
      segment: status,
      list: [{ pattern: "*", argPattern: "(?=s).*" }],
      by: null,
    },
    {
      name: "to one command in one directory",
      segment: status,
      list: [{ pattern: "/usr/bin/git", argPattern: exactArgPattern(status.argv, path("/proj")) }],
      by: "/usr/bin/git",
    },
    {
      name: "and in no other",
      segment: status,
      list: [{ pattern: "/usr/bin/git", argPattern: exactArgPattern(status.argv, path("/proj/x")) }],
      by: null,
    },
    { name: "a carrying form needs an entry that names it", segment: carrying, list: ["/usr/bin/git", "*"], by: null },
    {
      name: "and has one here",
      segment: carrying,
      list: [{ pattern: "/usr/bin/git", argPattern: "-c core\\.pager=x status" }],
      by: "/usr/bin/git",
    },
    { name: "to one content", segment: status, list: [{ pattern: "*", sha256: digest }], by: "*", over: { hashOf: () => digest } },
    {
      name: "and other content is a miss",
      segment: status,
      list: [{ pattern: "*", sha256: digest }],
      by: null,
      over: { hashOf: () => sha256Of("v2") },
    },
    { name: "so is content that nobody hashed", segment: status, list: [{ pattern: "*", sha256: digest }], by: null },
    { name: "in time", segment: status, list: [{ pattern: "*", expiresAt: 1001 }], by: "*" },
    { name: "up to the moment", segment: status, list: [{ pattern: "*", expiresAt: 1000 }], by: null },
    { name: "in number", segment: status, list: [{ id: "a", pattern: "*", usesLeft: 2 }], by: "*", over: { usesLeft: () => 1 } },
    {
      name: "until they are spent",
      segment: status,
      list: [{ id: "a", pattern: "*", usesLeft: 2 }],
      by: null,
      over: { usesLeft: () => 0 },
    },
    { name: "a grant of none is none", segment: status, list: [{ id: "a", pattern: "*", usesLeft: 0 }], by: null },
    {
      name: "an unbounded entry is used first",
      segment: status,
      list: [{ pattern: "*", usesLeft: 2 }, "/usr/bin/git"],
      by: "/usr/bin/git",
    },
  ];
  test.each(rows)("$name", check);
});

describe("a skill's binary", () => {
  const skillBins = [{ name: "weather", path: "/opt/skills/weather" }];
  const found = segmentOf(plainProgram("/opt/skills/weather"));
  const on = { autoAllowSkills: true, skillBins };
  const rows: readonly Row[] = [
    { name: "is satisfied by name and path", segment: found, list: [], by: "weather", settings: on },
    { name: "not when switched off", segment: found, list: [], by: null, settings: { skillBins } },
    {
      name: "not by its path alone",
      segment: segmentOf(plainProgram("/opt/skills/weather", "/opt/skills/weather")),
      list: [],
      by: null,
      settings: on,
    },
    { name: "not by its name alone", segment: segmentOf(plainProgram("/tmp/weather")), list: [], by: null, settings: on },
    {
      name: "not in a carrying form",
      segment: segmentOf(plainProgram("/opt/skills/weather"), [], { carries: "x" }),
      list: [],
      by: null,
      settings: on,
    },
  ];
  test.each(rows)("$name", check);

  test("an agent's own no is not overruled by the settings", () => {
    const input = inputOf({ plan: planOf([found]), main: { autoAllowSkills: false }, settings: on });
    expect(satisfy(input).ok).toBe(false);
  });
});

describe("a chain", () => {
  const head = segmentOf(plainProgram("/usr/bin/head"), ["-n", "5"]);
  test("is satisfied when every segment is, each by its own rule", () => {
    const found = satisfy(inputOf({ plan: planOf([segmentOf(GIT), head]), main: { allowlist: ["/usr/bin/git"] } }));
    expect(found.ok && found.by.map(({ kind, source }) => `${kind} ${source}`)).toEqual([
      "allowlist agents.main.allowlist[0]",
      "safe-bin tools.exec.safeBins",
    ]);
  });

  test("fails at the first that is not, and says which", () => {
    const rm = segmentOf(plainProgram("/usr/bin/rm"));
    const found = satisfy(inputOf({ plan: planOf([segmentOf(GIT), rm, head]), main: { allowlist: ["/usr/bin/git"] } }));
    expect(found).toEqual({ ok: false, reason: "`rm` (/usr/bin/rm) is on no list", segment: rm });
  });

  test("in which nothing was judged is satisfied only if nothing starts", () => {
    const plan = planOf([]);
    expect(satisfy(inputOf({ plan })).ok).toBe(true);
    const hidden = { ...plan, analysis: { ok: true, segments: [], asJudged: plan.asRequested } as const };
    expect(satisfy(inputOf({ plan: hidden, main: { allowlist: ["*"] } })).ok).toBe(false);
  });
});
