import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { countersign, type Ended } from "../support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { scratchDirectory } from "../support/scratch.ts";

const DOCUMENT = {
  version: 1,
  defaults: { ask: "on-miss" },
  agents: { main: { allowlist: ["/usr/bin/env", "/bin/ls", "/usr/bin/python3"] } },
};
let daemon: TestDaemon;
const start = async (): Promise<void> => {
  daemon = await startTestDaemon({ document: DOCUMENT });
};
const stop = (): Promise<void> => daemon.stop();

const cs = (...words: readonly string[]): Promise<Ended> =>
  countersign(["--state-dir", daemon.stateDir, ...words], { env: { HOME: daemon.home }, cwd: daemon.home });

describe("check", () => {
  beforeAll(start);
  afterAll(stop);

  test("says yes in one line and a reason, and ends with 0", async () => {
    const { stdout, exitCode } = await cs("check", "--", "ls", "-la");
    expect(stdout).toBe("allow  would run\n       every part of it is listed\n");
    expect(exitCode).toBe(0);
  });

  test("names each part that is not covered, why, and the entry that would cover it; ends with 2", async () => {
    const { stdout, exitCode } = await cs("check", "--command", "ls && nice id -u | head -x");
    expect(stdout).toContain("ask    would ask somebody first  approval.required\n");
    expect(stdout).toMatch(/^ {2}&& id -u {2}not covered\n {2}behind {7}nice\n {2}program {6}\/usr\/bin\/id$/m);
    expect(stdout).toMatch(/^ {2}to list it {3}countersign allowlist add \/usr\/bin\/id$/m);
    expect(stdout).toMatch(/^ {2}\| head -x {2}not covered$/m);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("`-x` is not a known option");
    expect(stdout).not.toMatch(/^ {2}ls {2}covered/m);
    expect(exitCode).toBe(2);
  });

  test("points at the place in a text that cannot be read, and says what to write instead", async () => {
    const { stdout, exitCode } = await cs("check", "--command", "ls | grep x > out");
    expect(stdout).toContain("deny   would be refused  policy.analysis-failed\n");
    expect(stdout).toContain("    ls | grep x > out\n                ^\n");
    expect(stdout).toMatch(/instead {6}let the program write the file itself/);
    expect(exitCode).toBe(2);
  });

  test.each([
    { words: ["--", "no-such-program-here"], code: "exec.not-found", exit: 127 },
    { words: ["--env", "LD_PRELOAD=x", "--", "ls"], code: "env.forbidden", exit: 2 },
    { words: ["--cwd", "/no/such/directory", "--", "ls"], code: "exec.cwd-invalid", exit: 1 },
  ])("takes the daemon's $code for an answer and not for a failure", async ({ words, code, exit }) => {
    const { stdout, stderr, exitCode } = await cs("check", ...words);
    expect([stdout.split("\n")[0], stderr, exitCode]).toEqual([`deny   would be refused  ${code}`, "", exit]);
  });

  test("says the same to programs", async () => {
    const decision = JSON.parse((await cs("check", "--json", "--", "ls")).stdout);
    expect(decision).toMatchObject({ outcome: "allow", code: null, source: "agents.main.allowlist[1]", findings: [{ covered: true }] });
    const missed = JSON.parse((await cs("check", "--json", "--", "python3", "-c", "1")).stdout);
    expect(missed).toMatchObject({
      outcome: "ask",
      layer: "exec-approval",
      rule: "ask on-miss",
      source: "defaults.ask",
      findings: [{ covered: false, inlineEval: "python3 -c", suggested: { argPattern: "-c 1" } }],
    });
  });

  test("without a daemon says so, and not that the command is refused", async () => {
    const { stdout, exitCode } = await countersign(["check", "--state-dir", join(daemon.home, "none"), "--", "ls"]);
    expect([stdout, exitCode]).toEqual(["", 69]);
  });
});

describe("explain", () => {
  beforeAll(start);
  afterAll(stop);

  test("shows every part, what it resolved to, which rule of which file covers it, and which layer answered", async () => {
    const { stdout, exitCode } = await cs("explain", "--command", "cd / && sh -c 'ls; python3 --version' | head -n 1");
    expect(stdout).toMatch(/^ {2}ls {2}covered\n {2}behind {7}sh\n {2}program {6}\/usr\/bin\/ls\n {2}in {11}\/$/m);
    expect(stdout).toContain("allowlist entry `/bin/ls`, agents.main.allowlist[1]");
    expect(stdout).toMatch(/^ {2}; python3 --version {2}covered$/m);
    expect(stdout).toMatch(/^ {2}\| head -n 1 {2}covered$/m);
    expect(stdout).toContain("safe bin `head`, tools.exec.safeBins");
    expect(stdout).toMatch(/^ {2}tool policy /m);
    expect(stdout).toMatch(/^ {2}decided by {3}exec-security, security allowlist$/m);
    expect(exitCode).toBe(0);
  });

  test("names what nothing binds", async () => {
    writeFileSync(join(daemon.home, "x.py"), "import os\n");
    const { stdout } = await cs("explain", "--", "python3", "x.py");
    expect(stdout).toMatch(/^ {2}script {7}.*\/x\.py$/m);
    expect(stdout).toMatch(/^ {2}not bound {4}the files that `x\.py` imports$/m);
  });

  test("gives programs the whole plan and the verdict of the tool policy", async () => {
    const answer = JSON.parse((await cs("explain", "--json", "--", "ls")).stdout);
    expect(Object.keys(answer).sort()).toEqual(["binding", "decision", "display", "enforcement", "plan", "tool"]);
  });

  test("shows characters that could draw on the screen as what they are", async () => {
    const { stdout } = await cs("explain", "--", "ls", "\u001b[2J", "\u202e");
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("allowlist", () => {
  beforeEach(start);
  afterEach(stop);
  const stored = (): string => readFileSync(join(daemon.stateDir, "exec-approvals.json"), "utf8");

  test("add lets a program run, with the bounds it was given, and remove has it asked about again", async () => {
    expect((await cs("check", "--", "id")).exitCode).toBe(2);
    expect((await cs("allowlist", "add", "/usr/bin/id", "--for", "8h", "--uses", "3")).stdout).toContain(
      "/usr/bin/id is on the allowlist of main",
    );
    expect((await cs("check", "--", "id")).exitCode).toBe(0);
    expect((await cs("allowlist", "list")).stdout).toMatch(/7 h 59 min left, 3 more uses {2}never +\/usr\/bin\/id/);
    expect((await cs("allowlist", "remove", "/usr/bin/id")).exitCode).toBe(0);
    expect((await cs("check", "--", "id")).exitCode).toBe(2);
  });

  test("add says what lint would say against the entry, and refuses arguments that could never match", async () => {
    const broad = await cs("allowlist", "add", "/usr/bin/perl", "--agent", "ops");
    expect([broad.exitCode, broad.stderr]).toEqual([
      0,
      expect.stringContaining("warning: /usr/bin/perl: covers an interpreter with any script"),
    ]);
    expect((await cs("allowlist", "add", "/usr/bin/id")).stderr).toBe("");
    const before = stored();
    const wrong = await cs("allowlist", "add", "/usr/bin/id", "--arg-pattern", "[");
    expect([wrong.exitCode, wrong.stderr, stored()]).toEqual([64, expect.stringContaining("regular expression"), before]);
  });

  test("what check suggests is what it takes", async () => {
    const { findings } = JSON.parse((await cs("check", "--json", "--", "python3", "-c", "print(1)")).stdout);
    const { pattern, argPattern } = findings[0].suggested;
    expect((await cs("allowlist", "add", pattern, `--arg-pattern=${argPattern}`)).exitCode).toBe(0);
    expect((await cs("check", "--", "python3", "-c", "print(1)")).exitCode).toBe(0);
    expect((await cs("check", "--", "python3", "-c", "print(2)")).exitCode).toBe(2);
  });

  test("a pinned script runs until it is another", async () => {
    const script = join(daemon.home, "deploy.sh");
    writeFileSync(script, "#!/bin/sh\necho 1\n");
    chmodSync(script, 0o755);
    expect((await cs("allowlist", "add", "./deploy.sh", "--pin")).exitCode).toBe(0);
    expect((await cs("check", "--", "sh", "deploy.sh")).exitCode).toBe(0);
    writeFileSync(script, "#!/bin/sh\necho 2\n");
    expect((await cs("check", "--", "sh", "deploy.sh")).exitCode).toBe(2);
  });

  test("for another agent holds for that agent alone, and for `*` for all", async () => {
    await cs("allowlist", "add", "/usr/bin/id", "--agent", "ops");
    await cs("allowlist", "add", "/usr/bin/uname", "--agent", "*");
    expect((await cs("check", "--", "id")).exitCode).toBe(2);
    expect((await cs("check", "--agent", "ops", "--", "id")).exitCode).toBe(0);
    expect((await cs("check", "--agent", "other", "--", "uname")).exitCode).toBe(0);
  });

  test.each([
    { words: ["add", " /usr/bin/id"], exit: 64 },
    { words: ["add", "/usr/bin/*", "--pin"], exit: 64 },
    { words: ["add", "/usr/bin/id", "--agent", "a b"], exit: 64 },
    { words: ["add", "/usr/bin/id", "--sha256", "xyz"], exit: 64 },
    { words: ["remove", "/usr/bin/none"], exit: 1 },
  ])("refuses $words and changes nothing", async ({ words, exit }) => {
    const before = stored();
    expect((await cs("allowlist", ...words)).exitCode).toBe(exit);
    expect(stored()).toBe(before);
  });

  test("lint points at what allows more than it seems to, and ends with 1; with nothing to say it ends with 0", async () => {
    const { stdout, exitCode } = await cs("allowlist", "lint");
    expect(stdout).toMatch(/^\/usr\/bin\/python3 {2}interpreter {2}agents\.main\.allowlist\[2\]$/m);
    expect(stdout).toMatch(/^\/usr\/bin\/env {2}carrier {2}/m);
    expect(exitCode).toBe(1);
    const told = JSON.parse((await cs("allowlist", "lint", "--json")).stdout);
    expect(told).toMatchObject({ findings: [{ kind: "carrier" }, { kind: "interpreter" }] });
    await cs("allowlist", "remove", "/usr/bin/python3");
    await cs("allowlist", "remove", "/usr/bin/env");
    expect(await cs("allowlist", "lint")).toMatchObject({ stdout: "nothing to say against any entry\n", exitCode: 0 });
  });
});

test("allowlist add writes the file itself where no daemon runs", async () => {
  const scratch = scratchDirectory();
  try {
    const state = join(scratch.path, "state");
    const surroundings = { env: { HOME: scratch.path }, cwd: scratch.path };
    await countersign(["init", "--state-dir", state], surroundings);
    const added = await countersign(["--state-dir", state, "allowlist", "add", "/usr/bin/id", "--uses", "2"], surroundings);
    expect(added.exitCode).toBe(0);
    const { agents } = JSON.parse(readFileSync(join(state, "exec-approvals.json"), "utf8"));
    expect(agents.main.allowlist).toMatchObject([{ pattern: "/usr/bin/id", usesLeft: 2 }]);
  } finally {
    scratch.remove();
  }
});
