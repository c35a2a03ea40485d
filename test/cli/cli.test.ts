import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countersign } from "../support/countersign.ts";
import { type FakeDaemon, startFakeDaemon, TOKEN } from "../support/fake-daemon.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
let daemon: FakeDaemon;

beforeAll(async () => {
  scratch = scratchDirectory();
  daemon = await startFakeDaemon({ status: () => ({ version: "0.1.0", uptimeMs: 61_000, enforcement: { level: "sealed" } }) });
});

afterAll(async () => {
  await daemon.stop();
  scratch.remove();
});

function reaching(token: string, mode = 0o600): readonly string[] {
  const path = join(scratch.path, `token-${mode}-${token}`);
  writeFileSync(path, `${token}\n`);
  chmodSync(path, mode);
  return ["--socket", daemon.socketPath, "--token-file", path];
}

describe("words", () => {
  test("none at all give the list of commands, and succeed", async () => {
    const { exitCode, stdout, stderr } = await countersign([]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("usage: countersign COMMAND");
    expect(stdout).toMatch(/^ {2}run {2,}\S/m);
  });

  test.each([
    { name: "an unknown command names the nearest", words: ["rnu"], says: "did you mean `run`?" },
    {
      name: "an unknown command that is nobody's neighbour is offered to run",
      words: ["frobnicate"],
      says: "countersign run -- frobnicate",
    },
    { name: "an unknown flag names the nearest", words: ["run", "--aproval", "x"], says: "did you mean `--approval`?" },
    { name: "a flag without its value says what it wants", words: ["run", "--agent"], says: "`--agent` needs a value: --agent ID" },
    {
      name: "a flag that swallows another is not believed",
      words: ["run", "--session", "--wait", "--", "ls"],
      says: "write --session=--wait",
    },
    { name: "a switch takes no value", words: ["run", "--wait=yes", "--", "ls"], says: "`--wait` takes no value" },
    { name: "the same flag twice is a mistake", words: ["run", "--agent", "a", "--agent", "b", "--", "ls"], says: "given twice" },
    { name: "a surplus word is named", words: ["status", "now"], says: "`now`" },
    { name: "a run of nothing is refused", words: ["run", "--"], says: "no command was given" },
    { name: "text and words together are refused", words: ["run", "--command", "ls", "--", "ls"], says: "not both" },
    { name: "a time that is none is said back", words: ["run", "--timeout", "soon", "--", "ls"], says: "not `soon`" },
    { name: "a variable without `=` is said back", words: ["run", "--env", "LANG", "--", "ls"], says: "NAME=VALUE" },
  ])("$name", async ({ words, says }) => {
    const { exitCode, stdout, stderr } = await countersign(words);
    expect(stderr).toContain(says);
    expect([exitCode, stdout]).toEqual([64, ""]);
  });

  test("after `--json` a wrong word is an error in JSON too, on standard output, and nothing on standard error", async () => {
    const { exitCode, stdout, stderr } = await countersign(["status", "--json", "--sockte", "x"]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "usage", message: expect.stringContaining("--socket") } });
    expect([exitCode, stderr]).toEqual([64, ""]);
  });

  test("help is the same by either way, and shared flags may stand before the command", async () => {
    const [byFlag, byWord, early] = await Promise.all([
      countersign(["run", "--help"]),
      countersign(["help", "run"]),
      countersign(["--state-dir", "/nowhere", "run", "--help"]),
    ]);
    expect(byFlag.stdout).toContain("--approval ID");
    expect(byWord.stdout).toBe(byFlag.stdout);
    expect(early.stdout).toBe(byFlag.stdout);
    expect(byFlag.exitCode).toBe(0);
  });

  test("help says each thing on one line in a pipe, for grep", async () => {
    const { stdout } = await countersign(["help", "run"]);
    expect(stdout).toMatch(/^ {2}--env NAME=VALUE {2}a variable to add .* \(may be repeated\)$/m);
  });

  test.each(["500ms", "2h"])("a wait of %s, which the daemon would not take, is refused in the flag's own words", async (time) => {
    const { exitCode, stderr } = await countersign(["run", "--wait", "--wait-for", time, "--", "ls"]);
    expect([exitCode, stderr.split("\n")[0]]).toEqual([64, "countersign: `--wait-for` is from 1 s to 1 h"]);
  });

  test("a log without records is said to be one, and nothing that could be taken for a record", async () => {
    const stateDir = join(scratch.path, "new");
    await countersign(["init", "--state-dir", stateDir]);
    const { exitCode, stdout, stderr } = await countersign(["audit", "tail", "--state-dir", stateDir]);
    expect([exitCode, stdout, stderr]).toEqual([0, "", "the log has no records yet\n"]);
  });

  test("`--version` says the version of package.json", async () => {
    expect((await countersign(["--version"])).stdout).toMatch(/^countersign \d+\.\d+\.\d+\n$/);
  });
});

describe("wrong words", () => {
  test("under a word that has several commands lead to the help of that word", async () => {
    const { exitCode, stderr } = await countersign(["allowlist", "ad"]);
    expect(stderr).toBe("countersign: `allowlist` has no `ad`; did you mean `allowlist add`?\nsee: countersign help allowlist\n");
    expect(exitCode).toBe(64);
  });

  test("for `help` are not taken for a command to run", async () => {
    expect((await countersign(["help", "frobnicate"])).stderr).toBe(
      "countersign: there is no command `frobnicate`\nsee: countersign help\n",
    );
  });

  test("a time of nothing is no time", async () => {
    expect((await countersign(["run", "--timeout", "0s", "--", "ls"])).stderr).toContain("`--timeout` is longer than nothing");
  });
});

describe("a file system that says no", () => {
  test("is named by path and errno, and is no fault of ours", async () => {
    writeFileSync(join(scratch.path, "file"), "");
    const { exitCode, stdout } = await countersign(["init", "--json", "--state-dir", join(scratch.path, "file/state")]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "state.io", data: { errno: "ENOTDIR" } } });
    expect(exitCode).toBe(1);
  });
});

describe("the daemon", () => {
  test("that is not there ends with 69 and the command that starts one", async () => {
    const { exitCode, stderr } = await countersign(["status", "--state-dir", scratch.path]);
    expect(stderr).toContain("countersign daemon");
    expect(exitCode).toBe(69);
  });

  test("whose socket is left over ends with 69 too", async () => {
    const { exitCode, stdout } = await countersign(["status", "--json", ...reaching(TOKEN).with(1, join(scratch.path, "none.sock"))]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "client.unreachable" } });
    expect(exitCode).toBe(69);
  });

  test("that does not know our token ends with 77, and says what may be so", async () => {
    const { exitCode, stderr } = await countersign(["status", ...reaching("another-token")]);
    expect(stderr).toContain("was it rotated");
    expect(exitCode).toBe(77);
  });

  test("is not shown a token that others can read", async () => {
    const { exitCode, stderr } = await countersign(["status", ...reaching(TOKEN, 0o644)]);
    expect(stderr).toContain("chmod 600");
    expect(exitCode).toBe(77);
  });

  test("answers in facts for people and in one JSON value for machines", async () => {
    const [people, machines] = await Promise.all([
      countersign(["status", ...reaching(TOKEN)]),
      countersign(["status", "--json", ...reaching(TOKEN)]),
    ]);
    expect(people.stdout).toMatch(/uptime +1 min 1 s/);
    expect(JSON.parse(machines.stdout)).toEqual({ version: "0.1.0", uptimeMs: 61_000, enforcement: { level: "sealed" } });
  });
});

describe("colour", () => {
  test("is absent in a pipe, present when forced, and absent again with NO_COLOR", async () => {
    const plain = await countersign([]);
    const forced = await countersign([], { env: { FORCE_COLOR: "1" } });
    const without = await countersign([], { env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
    expect(forced.stdout).toContain("\u001b[");
    expect(without.stdout).toBe(plain.stdout);
    expect(forced.stdout.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain.stdout);
  });
});
