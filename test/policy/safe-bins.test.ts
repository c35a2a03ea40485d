import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toArgv } from "../../src/core/argv.ts";
import { BUILT_IN_PROFILES } from "../../src/policy/safe-bin-profiles.ts";
import { objectionToSafeBin } from "../../src/policy/safe-bins.ts";
import { path } from "./table-machine.ts";

const TRUSTED = new Set(["/usr/bin"]);
const ALL = { safeBins: [...BUILT_IN_PROFILES.keys()], safeBinProfiles: {} };

function objection(line: string | readonly string[], settings: Parameters<typeof objectionToSafeBin>[2] = ALL): string | null {
  const argv = toArgv(typeof line === "string" ? line.split(" ") : line);
  if (argv === null) throw new Error("empty");
  const at = path(`/usr/bin/${argv[0].split("/").at(-1) ?? ""}`);
  return objectionToSafeBin(argv, { word: argv[0], linkPath: at, realPath: at, linksAreRoots: true }, settings, TRUSTED);
}

describe("a filter on standard input runs unasked", () => {
  test.each([
    "wc -lw",
    "uniq -c",
    "uniq --group=both",
    "tr -d \\n",
    "cut -d, -f1-3",
    "sort -nrk2 -t:",
    "grep -ic -e TODO",
    "jq -r .a.b",
    "head -c 10 -",
  ])("%s", (line) => {
    expect(objection(line)).toBeNull();
  });
});

describe("what could reach further asks", () => {
  test.each([
    ["uniq --group out.txt", "an optional value is never the next word, so this is a file"],
    ["uniq a b", "the second operand is written to"],
    ["sort -uo x", "a cluster hides -o"],
    ["sort --o=x", "an abbreviation reaches --output"],
    ["sort --compress=sh", "an abbreviation reaches a program"],
    ["sort -k1 -o x", "a value does not hide what follows"],
    ["tail -5f", "unknown digits"],
    ["tail --pid=1 -n1", "waits for a process"],
    ["tail --f", "an abbreviation reaches --follow"],
    ["grep -e x -f y", "patterns from a file"],
    ["grep -ie x -r", "recursion reads the directory"],
    ["grep --includ=x y", "an operand"],
    ["wc --files0=x", "an abbreviation reaches a list of files"],
    ["head -n1 -- x", "an operand after the terminator"],
    ["head -n1 -- --lines", "an option after the terminator"],
    ["tr a ~/x", "a path"],
    ["cut -f1 --output-delimiter=/etc/x", "a path in a value"],
    ["jq -rn env", "the environment"],
    ["jq $ENV.PATH", "the environment by its other name"],
    ["jq ..|env", "two dots are not a field"],
    ['jq "\\(env)"', "code inside a string"],
    ["jq input_filename", "a file's name"],
    ["jq --arg a b . x", "a file after the program"],
    ["jq --args . x", "options of jq that take what follows"],
    ["jq --raw .x", "jq does not abbreviate, so neither do we"],
    ["jq 1|halt_error", "ends with a status of its choice"],
    ["jq -R  id_rsa", "an empty program, and then a file"],
  ])("%s: %s", (line) => {
    expect(objection(line)).toEqual(expect.any(String));
  });
});

describe("the program itself", () => {
  const HEAD = { word: "head", linkPath: path("/usr/bin/head"), realPath: path("/usr/bin/head"), linksAreRoots: true };
  const asked = (program: typeof HEAD | null, name = "head") => objectionToSafeBin([name], program, ALL, TRUSTED);
  test("must lie in a trusted directory, really", () => {
    expect(asked(HEAD)).toBeNull();
    expect(asked({ ...HEAD, realPath: path("/opt/x/head") })).toContain("trusted");
    expect(asked({ ...HEAD, linkPath: path("/usr/bin/sub/head"), realPath: path("/usr/bin/sub/head") })).toContain("trusted");
    expect(asked(null)).toContain("resolve");
  });

  test("must be what it is called, or an applet that root linked", () => {
    expect(asked({ ...HEAD, realPath: path("/usr/bin/busybox") })).toBeNull();
    expect(asked({ ...HEAD, realPath: path("/usr/bin/sh"), linksAreRoots: false })).toContain("really");
  });

  test("is told by its exact name", () => {
    expect(asked({ ...HEAD, word: "HEAD" }, "HEAD")).toContain("not a safe bin");
  });

  test.each(["awk", "gawk", "sed", "python3", "python3.12", "bash", "node", "find", "BASH"])(
    "%s can never be one, whatever its profile says",
    (name) => {
      expect(objection([name, "x"], { safeBins: [name.toLowerCase(), name], safeBinProfiles: { [name]: { maxPositional: 9 } } })).toEqual(
        expect.any(String),
      );
    },
  );
});

describe("a configured profile", () => {
  const with_ = (profile: object) => ({ safeBins: ["fold"], safeBinProfiles: { fold: profile } });
  test("allows the values it names and no operand it does not mention", () => {
    expect(objection("fold -w 80", with_({ allowedValueFlags: ["-w"] }))).toBeNull();
    expect(objection("fold notes", with_({ allowedValueFlags: ["-w"] }))).toContain("operand");
    expect(objection("fold --wid=80", with_({ allowedValueFlags: ["--width"] }))).toContain("not a known option");
    expect(objection("fold -s", with_({}))).toContain("not a known option");
    expect(objection("fold", { safeBins: ["fold"], safeBinProfiles: {} })).toContain("no profile");
  });
});

test("whatever is asked, an option outside the table never passes", () => {
  const letter = fc.constantFrom(...Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"));
  fc.assert(
    fc.property(fc.constantFrom(...BUILT_IN_PROFILES.entries()), letter, ([name, profile], flag) => {
      const known = [...profile.switches, ...profile.valued].includes(`-${flag}`);
      if (!known) expect(objection([name, `-${flag}`, "1"])).not.toBeNull();
    }),
    { numRuns: 500 },
  );
});
