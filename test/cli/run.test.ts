import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { STDIN_BASE64_BYTES_MAX } from "../../src/core/limits.ts";
import { HASH } from "../support/approvals.ts";
import { countersign, type Ended, type Surroundings, start } from "../support/countersign.ts";
import { type Answer, type FakeDaemon, type Peer, Refusal, startFakeDaemon, TOKEN } from "../support/fake-daemon.ts";

const RUN = "11111111-1f5a-4b0e-9f5e-7a3b2c1d0e9f";
const ALLOWED = "3f2c9a1e-1f5a-4b0e-9f5e-7a3b2c1d0e9f";

let daemon: FakeDaemon;
let shared: readonly string[];
let answer: Answer;

beforeAll(async () => {
  daemon = await startFakeDaemon({
    "system.run": (params, peer) => answer(params, peer),
    "exec.approval.list": () => ({ approvals: [{ id: ALLOWED, state: "allowed" }] }),
  });
  const tokenFile = join(daemon.directory, "gateway.token");
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
  shared = ["--socket", daemon.socketPath, "--token-file", tokenFile];
});

beforeEach(() => {
  answer = () => result({});
});

afterAll(() => daemon.stop());

function result(more: JsonObject): JsonObject {
  const output = { stdout: "", stderr: "", stdoutTruncated: false, stderrTruncated: false, stdoutBytes: 0, stderrBytes: 0 };
  const how = { decidedBy: "allowlist", binding: `sha256:${HASH}`, enforcement: "sealed", escaped: [] };
  return { runId: RUN, exitCode: 0, signal: null, timedOut: false, cancelled: false, durationMs: 5, ...output, ...how, ...more };
}

function output(peer: Peer, stream: string, bytes: Buffer, seq = 0): void {
  peer.notify("exec.output", { runId: RUN, stream, seq, data: bytes.toString("base64") });
}

function run(words: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return countersign(["run", ...shared, ...words], surroundings);
}

function sent(): JsonObject {
  return daemon.calls.findLast(({ method }) => method === "system.run")?.params ?? {};
}

describe("what is asked for", () => {
  test("is the words as they stand, in this directory, with the flags' values", async () => {
    const flags = ["--agent", "ops", "--session", "s 1", "--env", "LANG=C", "--env", "X=a=b", "--timeout", "1500ms", "--wait"];
    await run([...flags, "--", "git", "--json", "", " two "], { cwd: daemon.directory });
    expect(sent()).toEqual({
      argv: ["git", "--json", "", " two "],
      cwd: daemon.directory,
      agentId: "ops",
      sessionKey: "s 1",
      env: { LANG: "C", X: "a=b" },
      timeoutMs: 1500,
      wait: true,
      stream: true,
    });
  });

  test("begins at the first word that is no flag of ours, with or without `--`", async () => {
    await run(["ls", "--json", "--", "-la"]);
    expect(sent()["argv"]).toEqual(["ls", "--json", "--", "-la"]);
  });

  test("may be shell text, another directory, and an approval by the beginning of its id", async () => {
    await run(["--command", "git log | head", "--cwd", "/srv/../etc", "--approval", ALLOWED.slice(0, 9)]);
    expect(sent()).toEqual({ command: "git log | head", cwd: "/etc", approvalId: ALLOWED, stream: true });
  });

  test("takes standard input only when told to, byte for byte", async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    await run(["--stdin", "--", "cat"], { input: bytes });
    expect(sent()["stdinBase64"]).toBe(bytes.toString("base64"));
    await run(["--", "cat"], { input: bytes });
    expect(sent()["stdinBase64"]).toBeUndefined();
  });

  test("refuses more standard input than a request can carry", async () => {
    const whole = await run(["--stdin", "--", "cat"], { input: Buffer.alloc(STDIN_BASE64_BYTES_MAX) });
    const more = await run(["--stdin", "--", "cat"], { input: Buffer.alloc(STDIN_BASE64_BYTES_MAX + 1) });
    expect([whole.exitCode, more.exitCode]).toEqual([0, 64]);
    expect(more.stderr).toContain("put it into a file");
  });
});

describe("what comes out", () => {
  test("is the command's output byte for byte, each stream on its own", async () => {
    const [out, err] = [Buffer.from([0, 1, 254, 255, 13, 10]), Buffer.from("é\u001b[31m\n")];
    answer = (_, peer) => {
      output(peer, "stdout", out);
      output(peer, "stderr", err);
      return result({});
    };
    const ended = await run(["--", "x"]);
    expect(ended.stdoutBytes).toEqual(out);
    expect(ended.stderrBytes).toEqual(err);
  });

  test("arrives whole through a pipe, all of 8 MiB", async () => {
    const chunk = Buffer.alloc(64 * 1024, "0123456789abcdef");
    answer = (_, peer) => {
      for (let seq = 0; seq < 128; seq += 1) output(peer, "stdout", chunk, seq);
      return result({});
    };
    const { stdoutBytes } = await run(["--", "x"]);
    expect(stdoutBytes.equals(Buffer.concat(Array.from({ length: 128 }, () => chunk)))).toBe(true);
  });

  test("with --json is the result alone, with nothing streamed", async () => {
    answer = () => result({ exitCode: 3, stdout: "hello\n" });
    const { exitCode, stdout, stderr } = await run(["--json", "--", "x"]);
    expect(JSON.parse(stdout)).toMatchObject({ runId: RUN, exitCode: 3, stdout: "hello\n" });
    expect(sent()["stream"]).toBe(false);
    expect([exitCode, stderr]).toEqual([3, ""]);
  });

  test.each([
    { name: "its own code", how: { exitCode: 42 }, expected: 42 },
    { name: "128 and the signal's number", how: { exitCode: null, signal: "SIGKILL" }, expected: 137 },
    { name: "3 when its time was up", how: { exitCode: null, signal: "SIGKILL", timedOut: true }, expected: 3 },
  ])("ends with $name", async ({ how, expected }) => {
    answer = () => result(how);
    expect((await run(["--", "x"])).exitCode).toBe(expected);
  });

  test.each([
    ["exec.not-found", 127],
    ["exec.not-executable", 126],
    ["policy.allowlist-miss", 2],
    ["approval.expired", 3],
    ["approval.consumed", 4],
    ["binding.file-differs", 5],
    ["overloaded", 75],
    ["auth.forbidden", 77],
    ["state.corrupt", 78],
    ["policy.of-a-newer-daemon", 2],
  ])("a refusal with %s ends with %i and says its code", async (code, expected) => {
    answer = () => {
      throw new Refusal(code, "one fact and one remedy");
    };
    const { exitCode, stdout, stderr } = await run(["--", "x"]);
    expect(stderr).toMatch(new RegExp(`^countersign: one fact and one remedy\\n  code ${code}\\n(  next .*\\n)?$`));
    expect([exitCode, stdout]).toEqual([expected, ""]);
  });

  test("a `--json` that is the command's own does not turn our refusal into JSON", async () => {
    answer = () => {
      throw new Refusal("policy.allowlist-miss", "one fact and one remedy");
    };
    const { stdout, stderr } = await run(["ls", "--json"]);
    expect([stdout, stderr.includes("code policy.allowlist-miss")]).toEqual(["", true]);
  });

  test("a mismatch shows what was approved and what was found", async () => {
    const approved = { argvIndex: 0, path: "/srv/deploy.sh", sha256: HASH };
    const found = { argvIndex: 0, path: "/srv/deploy.sh", sha256: "f".repeat(64) };
    answer = () => {
      const differences = [{ code: "binding.file-differs", field: "files[0]", approved, found }];
      throw new Refusal("binding.file-differs", "it changed; ask again", { differences });
    };
    const { stderr } = await run(["--", "x"]);
    expect(stderr).toMatch(
      new RegExp(`files\\[0\\]\\n +approved /srv/deploy.sh sha256:${HASH}\\n +found +/srv/deploy.sh sha256:${"f".repeat(64)}`),
    );
  });

  test("what a refusal quotes cannot draw on the screen", async () => {
    answer = () => {
      throw new Refusal("exec.not-found", "there is no `\u001b[2J\u202e`; look\nat PATH");
    };
    expect((await run(["--", "x"])).stderr).toContain("there is no `\\x1b[2J\\u202e`; look\\nat PATH");
  });
});

describe("Ctrl-C", () => {
  test("cancels the run by its id and ends with 130 once the tree is gone", async () => {
    let finish: (value: JsonObject) => void = () => {};
    const cancelled = await startFakeDaemon({
      "system.run": (_, peer) => {
        output(peer, "stdout", Buffer.from("started\n"));
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      "system.run.cancel": (params) => {
        finish(result({ exitCode: null, signal: "SIGTERM", cancelled: true }));
        return { runId: params["runId"] ?? null, cancelled: true };
      },
    });
    try {
      const running = start(["run", "--socket", cancelled.socketPath, ...shared.slice(2), "--", "sleep", "60"]);
      await running.says("started");
      running.child.kill("SIGINT");
      const { exitCode } = await running.ended;
      expect(cancelled.calls.at(-1)).toEqual({ method: "system.run.cancel", params: { runId: RUN } });
      expect(exitCode).toBe(130);
    } finally {
      await cancelled.stop();
    }
  });

  test("before anything was started closes the connection, and still ends with 130", async () => {
    let gone: Promise<void> = Promise.resolve();
    answer = (_, peer) => {
      gone = peer.gone;
      return new Promise(() => {});
    };
    const before = daemon.calls.length;
    const running = start(["run", ...shared, "--wait", "--", "sleep", "60"]);
    while (!daemon.calls.slice(before).some(({ method }) => method === "system.run")) await new Promise((rise) => setTimeout(rise, 10));
    running.child.kill("SIGINT");
    expect((await running.ended).exitCode).toBe(130);
    await gone;
  });

  test("a reader who leaves ends the run like any broken pipe: quietly, with 141", async () => {
    let gone: Promise<void> = Promise.resolve();
    answer = (_, peer) => {
      gone = peer.gone;
      const chunk = Buffer.alloc(64 * 1024, "x");
      const timer = setInterval(() => output(peer, "stdout", chunk), 5);
      void gone.then(() => clearInterval(timer));
      return new Promise(() => {});
    };
    const running = start(["run", ...shared, "--", "yes"]);
    await running.says("x");
    running.child.stdout?.destroy();
    const { exitCode, stderr } = await running.ended;
    expect([exitCode, stderr]).toEqual([141, ""]);
    await gone;
  });
});
