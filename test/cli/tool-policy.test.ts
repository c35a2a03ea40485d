import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SETTINGS_BYTES_MAX } from "../../src/core/limits.ts";
import { countersign } from "../support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
let daemon: TestDaemon;

const SETTINGS = {
  tools: { profile: "coding", read: { deny: ["~/.ssh/**"] }, web_fetch: { deniedDomains: ["evil.example"] } },
  agents: { family: { tools: { allow: ["read"], deny: ["exec"] } }, boxed: { sandbox: { mode: "all" } }, mute: { tools: { deny: ["*"] } } },
};

beforeAll(async () => {
  scratch = scratchDirectory();
  daemon = await startTestDaemon({ settings: SETTINGS });
});

afterAll(async () => {
  await daemon.stop();
  scratch.remove();
});

function file(text: string): string {
  const path = join(scratch.path, "policy.json5");
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
}

describe("policy check", () => {
  test("names every mistake at its line and column, and ends with 78", async () => {
    const path = file("{\n  tools: { exce: {} },\n  agents: { a: { sandbox: { mode: 'on' } } },\n}\n");
    const { exitCode, stdout } = await countersign(["policy", "check", path]);
    expect(stdout.split("\n")).toEqual([
      `${path}:2:12: tools.exce is not a known key; did you mean \`exec\`?`,
      `${path}:3:35: agents.a.sandbox.mode must be one of \`off\`, \`non-main\`, \`all\``,
      "2 mistakes; the daemon would not load this file",
      "",
    ]);
    expect(exitCode).toBe(78);
  });

  test("says the same to programs", async () => {
    const { exitCode, stdout } = await countersign(["policy", "check", "--json", "-"], { input: "{ toolz: {} }" });
    expect(JSON.parse(stdout)).toEqual({
      source: "standard input",
      ok: false,
      problems: [{ path: "toolz", line: 1, column: 3, message: "is not a known key; did you mean `tools`?" }],
      warnings: [],
    });
    expect(exitCode).toBe(78);
  });

  test("warns of what loads and is probably not meant, and with --strict ends with 1", async () => {
    const path = file("{ tools: { deny: ['exce'] } }");
    const lenient = await countersign(["policy", "check", path]);
    expect(lenient.stdout).toContain(`${path}: warning: \`tools.deny\` names \`exce\``);
    expect(lenient.stdout).toContain("no mistakes, 1 warning");
    expect(lenient.exitCode).toBe(0);
    expect((await countersign(["policy", "check", "--strict", path])).exitCode).toBe(1);
  });

  test("reads the daemon's own file, or says that the defaults hold", async () => {
    expect((await countersign(["policy", "check", "--state-dir", daemon.stateDir])).stdout).toBe("no mistakes\n");
    expect((await countersign(["policy", "check", "--state-dir", scratch.path])).stdout).toMatch(
      /^there is no .*countersign\.json5; the defaults hold\n$/,
    );
  });

  test("a file that cannot be read and one that is too long are mistakes too", async () => {
    const missing = await countersign(["policy", "check", join(scratch.path, "nowhere")]);
    expect([missing.exitCode, missing.stderr.includes("ENOENT")]).toEqual([78, true]);
    const long = await countersign(["policy", "check", "-"], { input: " ".repeat(SETTINGS_BYTES_MAX + 100_000) });
    expect([long.exitCode, long.stdout.includes("has more than")]).toEqual([78, true]);
  });
});

describe("policy show", () => {
  test("gives the frozen set of one agent and the layer that decided on each tool", async () => {
    const { exitCode, stdout } = await countersign(["policy", "show", "--state-dir", daemon.stateDir, "--agent", "family"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^agent family, not sandboxed: 1 of \d+ known tools\n\nallowed\n/);
    expect(stdout).toMatch(/^ {2}read +agent +agent agents\.family\.tools\.allow\[0\] +read$/m);
    expect(stdout).toMatch(/^ {2}exec +agent +agent agents\.family\.tools\.deny\[0\] +exec$/m);
    expect(stdout).toMatch(/^ {2}browser +profile +global tools\.profile +coding$/m);
  });

  test("follows the flags", async () => {
    const show = async (...flags: readonly string[]): Promise<{ readonly tools: readonly string[]; readonly sandboxed: boolean }> =>
      JSON.parse((await countersign(["policy", "show", "--json", "--config", file(JSON.stringify(SETTINGS)), ...flags])).stdout);
    expect((await show()).tools).not.toContain("cron");
    expect((await show("--owner")).tools).toContain("cron");
    expect((await show("--agent", "boxed")).sandboxed).toBe(true);
    expect((await show("--sandboxed")).tools).not.toContain("web_fetch");
    expect((await show("--subagent-depth", "1")).tools).not.toContain("memory_get");
  });

  test("refuses a broken file with its place", async () => {
    const { exitCode, stderr } = await countersign(["policy", "show", "--config", "-"], { input: "{ x" });
    expect([exitCode, stderr.includes("standard input:1:4")]).toEqual([78, true]);
  });
});

test("policy schema is JSON Schema with every key of the table", async () => {
  const { exitCode, stdout } = await countersign(["policy", "schema"]);
  const schema = JSON.parse(stdout);
  expect(exitCode).toBe(0);
  expect(schema.$schema).toBe("http://json-schema.org/draft-07/schema#");
  expect(Object.keys(schema.properties)).toContain("sandboxing");
  expect(schema.properties.tools.properties.exec.properties.security.enum).toEqual(["deny", "allowlist", "full"]);
  expect(schema.additionalProperties).toBe(false);
});

describe("tools", () => {
  const asked = (...words: readonly string[]) => countersign(["tools", ...words, "--state-dir", daemon.stateDir]);

  test("check says which layer decided, in a table, and ends with 2 when it is denied", async () => {
    const denied = await asked("check", "exec", "--agent", "family");
    expect(denied.exitCode).toBe(2);
    expect(denied.stdout).toMatch(/^denied {2}`exec` is denied by the agent layer/);
    expect(denied.stdout).toMatch(/^ {2}agent +deny +agent agents\.family\.tools\.deny\[0\] +exec$/m);
    const allowed = await asked("check", "read", "--agent", "family");
    expect([allowed.exitCode, allowed.stdout.startsWith("allowed")]).toEqual([0, true]);
  });

  test("check judges a path as the daemon sees it, and the state directory is closed", async () => {
    expect((await asked("check", "read", "--path", join(daemon.home, ".ssh/id_rsa"))).stdout).toContain("~/.ssh/**");
    expect((await asked("check", "read", "--path", join(daemon.home, "notes.txt"))).exitCode).toBe(0);
    const own = await asked("check", "write", "--path", join(daemon.stateDir, "exec-approvals.json"));
    expect([own.exitCode, own.stdout.includes("the state directory is closed to every tool")]).toEqual([2, true]);
  });

  test("check judges an address without looking up a name that is denied anyway", async () => {
    expect((await asked("check", "web_fetch", "--url", "http://169.254.169.254/")).stdout).toContain("ssrf");
    expect((await asked("check", "web_fetch", "--url", "https://evil.example/")).stdout).toContain("denied-domain");
    const json = await asked("check", "web_fetch", "--json", "--url", "http://[::1]/");
    expect(JSON.parse(json.stdout)).toMatchObject({ allowed: false, code: "policy.tool-denied" });
  });

  test("check takes one kind of argument at a time", async () => {
    const { exitCode, stderr } = await asked("check", "read", "--path", "/x", "--url", "http://x/");
    expect([exitCode, stderr.includes("one of --path, --url and --command")]).toEqual([64, true]);
  });

  test("list gives the tools that pass, and with --denied the others and why", async () => {
    expect((await asked("list", "--agent", "family")).stdout).toBe("read\n");
    expect((await asked("list", "--agent", "family", "--denied")).stdout).toMatch(
      /^ {2}exec +agent +agent agents\.family\.tools\.deny\[0\] +exec$/m,
    );
    expect(JSON.parse((await asked("list", "--agent", "family", "--json")).stdout).tools).toEqual(["read"]);
  });

  test("list says so where no tool is left, and not among the tools", async () => {
    const { stdout, stderr } = await asked("list", "--agent", "mute");
    expect([stdout, stderr]).toEqual(["", "it may call no tool; to see why: countersign tools list --denied\n"]);
  });
});

describe("policy settings", () => {
  test("says in a pipe on one line each what a key takes, what holds without it and what it means", async () => {
    const { exitCode, stdout } = await countersign(["policy", "settings"]);
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toContain(
      "approvals.exec.timeout  a whole number, 1000 to 3600000; default: 120000  How long a request waits, in milliseconds.",
    );
  });

  test("with the beginning of a key says those alone, with an example; for programs as JSON", async () => {
    const { stdout } = await countersign(["policy", "settings", "session"]);
    expect(stdout.split("\n\n").map((part) => part.split("\n")[0])).toEqual(["session  a section  Sessions.", "example"]);
    const { settings } = JSON.parse((await countersign(["policy", "settings", "session", "--json"])).stdout);
    expect(settings).toMatchObject([{ key: "session" }, { key: "session.mainKey", default: "main", required: false }]);
  });

  test.each([
    ["timeout", "did you mean `approvals.exec.timeout`?"],
    ["agents.main.tools", "did you mean `agents.<name>.tools`?"],
    ["frobnicate", "without a key all are listed"],
  ])("where nothing begins with %s it says what may have been meant", async (key, says) => {
    const { exitCode, stderr } = await countersign(["policy", "settings", key]);
    expect([exitCode, stderr.includes(says)]).toEqual([64, true]);
  });
});
