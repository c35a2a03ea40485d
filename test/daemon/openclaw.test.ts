import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { LINE_BYTES_MAX, OPENCLAW_CLOCK_MS, OPENCLAW_NONCE_CHARS_MAX } from "../../src/core/limits.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { exchange, execLine, requestLine } from "../support/openclaw-client.ts";
import { approve, attachOperator, openSession, type Session } from "../support/session.ts";

let daemon: TestDaemon;
let operator: Session;
let gateway: Session;

beforeAll(async () => {
  daemon = await startTestDaemon({
    document: {
      version: 1,
      defaults: { security: "allowlist", ask: "on-miss" },
      agents: { "*": { allowlist: ["/usr/bin/echo", "/usr/bin/sleep", "/usr/bin/false"] }, locked: { security: "deny" } },
    },
  });
  operator = await attachOperator(daemon);
  gateway = await openSession(daemon, "gateway");
});
afterAll(async () => {
  operator.close();
  gateway.close();
  await daemon.stop();
});

async function exec(request: JsonObject | string, more: JsonObject = {}, token = daemon.gatewayToken): Promise<JsonObject | null> {
  return exchange(daemon.socketPath, execLine(token, request, more)).answer;
}

async function pending(): Promise<JsonObject> {
  for (let round = 0; round < 200; round += 1) {
    const { approvals } = await operator.must("exec.approval.list", { state: "pending" });
    const [first] = Array.isArray(approvals) ? approvals : [];
    if (isJsonObject(first)) return first;
    await sleep(20);
  }
  throw new Error("nothing was asked");
}

async function stateOf(id: unknown): Promise<unknown> {
  return (await operator.must("exec.approval.get", { id: String(id) }))["state"];
}

const VECTOR = join(import.meta.dirname, "../../fixtures/vectors/openclaw-wire.json");

describe("a request", () => {
  test.each(["allow-once", "allow-always", "deny"])(
    "is shown like any approval, marked as unbound, and answered with %s",
    async (decision) => {
      const frames: unknown = JSON.parse(readFileSync(VECTOR, "utf8"));
      const frame = isJsonObject(frames) && isJsonObject(frames["frames"]) ? frames["frames"]["request"] : undefined;
      if (!isJsonObject(frame)) throw new Error("the vector has a frame");
      const asked = exchange(daemon.socketPath, JSON.stringify({ ...frame, token: daemon.gatewayToken }));
      const shown = await pending();
      expect(shown).toMatchObject({
        agentId: "main",
        sessionKey: "agent:main:main",
        binding: "none",
        display: { words: ["/bin/sh", "-c", "'rm -rf build'"] },
        plan: { cwd: "/srv/x", unbound: [expect.stringContaining("display only")] },
        requester: { host: "node", dialect: "openclaw" },
      });
      await operator.must("exec.approval.resolve", { id: shown["id"] ?? null, decision });
      expect(await asked.answer).toEqual({ type: "decision", id: frame["id"], decision });
    },
  );

  test("that was allowed lets nothing run here: it was for display only", async () => {
    const asked = exchange(daemon.socketPath, requestLine(daemon.gatewayToken, { command: "rm -rf build", cwd: "/" }));
    const { id } = await pending();
    await operator.must("exec.approval.resolve", { id: id ?? null, decision: "allow-always" });
    expect(await asked.answer).toMatchObject({ decision: "allow-always" });
    const run = { command: "rm -rf build", cwd: "/" };
    const { approvalToken = null } = await gateway.must("exec.approval.waitDecision", { id: id ?? null });
    expect(await gateway.call("system.run", { ...run, approvalId: id ?? null })).toMatchObject({ code: "binding.unavailable" });
    expect(await gateway.call("system.run", { ...run, approvalToken })).toMatchObject({ code: "approval.token-invalid" });
    const { document } = await operator.must("exec.approvals.get");
    expect(JSON.stringify(document)).not.toContain("rm");
  });

  test("is told allow-once where allow-always was not on offer", async () => {
    const request = { command: "make", allowedDecisions: ["allow-once", "deny", "something-new"] };
    const asked = exchange(daemon.socketPath, requestLine(daemon.gatewayToken, request));
    const { id, allowedDecisions } = await pending();
    expect(allowedDecisions).toEqual(["allow-once", "deny"]);
    await operator.must("exec.approval.resolve", { id: id ?? null, decision: "allow-always" });
    expect(await asked.answer).toMatchObject({ decision: "allow-once" });
  });

  test.each<[string, () => string]>([
    ["a wrong token", () => requestLine("wrong", { command: "ls" })],
    ["the operator's token, which answers and does not ask", () => requestLine(daemon.operatorToken, { command: "ls" })],
    ["no token", () => JSON.stringify({ type: "request", id: "x", request: { command: "ls" } })],
    ["no command", () => requestLine(daemon.gatewayToken, {})],
    ["no request", () => JSON.stringify({ type: "request", id: "x", token: daemon.gatewayToken })],
    ["an agent for whom every command is denied", () => requestLine(daemon.gatewayToken, { command: "ls", agentId: "locked" })],
    ["its own word that everything is denied", () => requestLine(daemon.gatewayToken, { command: "ls", security: "deny" })],
    ["more than anybody reads", () => requestLine(daemon.gatewayToken, { command: "x".repeat(100_000) })],
  ])("with %s is answered with deny, and nobody is asked", async (_, line) => {
    expect(await exchange(daemon.socketPath, line()).answer).toMatchObject({ type: "decision", decision: "deny" });
    expect((await operator.must("exec.approval.list", { state: "pending" }))["approvals"]).toEqual([]);
  });

  test("whose reader has gone is taken back, and one who only finished talking is waited for", async () => {
    const asked = exchange(daemon.socketPath, requestLine(daemon.gatewayToken, { command: "ls" }));
    const { id } = await pending();
    // Longer than the kernel is left unasked.
    await sleep(600);
    expect(await stateOf(id)).toBe("pending");
    asked.socket.destroy();
    for (let round = 0; round < 100 && (await stateOf(id)) === "pending"; round += 1) await sleep(20);
    expect(await stateOf(id)).toBe("cancelled");
  });
});

describe("an exec", () => {
  test("that is listed runs, and the answer has the shape of the protocol", async () => {
    const id = randomUUID();
    const request = {
      command: ["/usr/bin/echo", "hi é"],
      rawCommand: '/usr/bin/echo "hi é"',
      cwd: "/tmp",
      env: { LANG: "C" },
      timeoutMs: 10_000,
    };
    expect(await exec({ ...request, agentId: "main", sessionKey: "agent:main:main", needsScreenRecording: false }, { id })).toEqual({
      type: "exec-res",
      id,
      ok: true,
      payload: { exitCode: 0, timedOut: false, success: true, stdout: "hi é\n", stderr: "", error: null },
    });
    expect(await exec({ command: ["/usr/bin/false"] })).toMatchObject({
      payload: { exitCode: 1, timedOut: false, success: false, error: null },
    });
    expect(await exec({ command: ["/usr/bin/sleep", "5"], timeoutMs: 100 })).toMatchObject({
      payload: { timedOut: true, success: false, error: "timed out" },
    });
  });

  test("takes lines of 256,000 bytes, unknown members, and null for absent", async () => {
    const request = {
      command: ["/usr/bin/echo", "x"],
      cwd: null,
      env: null,
      approvalDecision: null,
      policySnapshot: { a: 1 },
      more: "y".repeat(256_000),
    };
    expect(await exec(request, { somethingNew: [] })).toMatchObject({ ok: true, payload: { stdout: "x\n" } });
  });

  const invalid = (reason: string) => ({
    type: "exec-res",
    ok: false,
    error: { code: "INVALID_REQUEST", message: expect.any(String), reason },
  });
  const echo = { command: ["/usr/bin/echo", "hi"] };

  test.each<[string, string, () => string]>([
    ["too old", "ttl", () => execLine(daemon.gatewayToken, echo, { ts: Date.now() - OPENCLAW_CLOCK_MS - 500 })],
    ["too new", "ttl", () => execLine(daemon.gatewayToken, echo, { ts: Date.now() + OPENCLAW_CLOCK_MS + 500 })],
    ["without a time", "ttl", () => execLine(daemon.gatewayToken, echo, { ts: null })],
    ["of a time that is a text", "ttl", () => execLine(daemon.gatewayToken, echo, { ts: String(Date.now()) })],
    ["signed with a wrong token", "hmac", () => execLine("wrong", echo)],
    ["signed with the operator's token", "hmac", () => execLine(daemon.operatorToken, echo)],
    ["with a signature of something else", "hmac", () => execLine(daemon.gatewayToken, echo).replace("hi", "ho")],
    ["without a signature", "hmac", () => execLine(daemon.gatewayToken, echo, { hmac: "" })],
    ["without a nonce", "hmac", () => execLine(daemon.gatewayToken, echo, { nonce: null })],
    [
      "with a nonce longer than any",
      "hmac",
      () => execLine(daemon.gatewayToken, echo, { nonce: "n".repeat(OPENCLAW_NONCE_CHARS_MAX + 1) }),
    ],
    ["of text that is no JSON", "json", () => execLine(daemon.gatewayToken, "{")],
    ["of JSON that is no request", "json", () => execLine(daemon.gatewayToken, { command: "ls" })],
    // The order of the checks: of two faults the earlier is told.
    ["too old and wrongly signed", "ttl", () => execLine("wrong", "{", { ts: 1 })],
    ["wrongly signed and no JSON", "hmac", () => execLine("wrong", "{")],
  ])("%s is refused as %s", async (_, reason, line) => {
    expect(await exchange(daemon.socketPath, line()).answer).toMatchObject(invalid(reason));
  });

  test("is taken once: the same line again, and the same nonce, are replays", async () => {
    const line = execLine(daemon.gatewayToken, echo);
    expect(await exchange(daemon.socketPath, line).answer).toMatchObject({ ok: true });
    expect(await exchange(daemon.socketPath, line).answer).toMatchObject(invalid("replay"));
    const frame: unknown = JSON.parse(line);
    const nonce = isJsonObject(frame) ? (frame["nonce"] ?? null) : null;
    expect(await exchange(daemon.socketPath, execLine(daemon.gatewayToken, "{", { nonce })).answer).toMatchObject(invalid("replay"));
  });

  test("that raced itself ran once", async () => {
    const line = execLine(daemon.gatewayToken, echo);
    const answers = await Promise.all(Array.from({ length: 16 }, () => exchange(daemon.socketPath, line).answer));
    expect(answers.filter((answer) => answer?.["ok"] === true)).toHaveLength(1);
  });

  test.each<[string, JsonObject, string, string]>([
    ["is on no list", { command: ["/usr/bin/id"] }, "approval.required", "approval-required"],
    [
      "was approved, as somebody says",
      { command: ["/usr/bin/id"], approvalDecision: "allow-once" },
      "approval.required",
      "approval-required",
    ],
    ["was denied, as somebody says", { ...echo, approvalDecision: "deny" }, "approval.denied", "approval-required"],
    ["comes from a locked agent", { ...echo, agentId: "locked" }, "policy.security-deny", "security=deny"],
    ["sets what loads code", { ...echo, env: { LD_PRELOAD: "/x.so" } }, "env.forbidden", "allowlist-miss"],
    ["is not what was bound", { ...echo, binding: `sha256:${"0".repeat(64)}` }, "binding.differs", "execution-plan-miss"],
    ["does not exist", { command: ["/nonexistent"] }, "exec.not-found", "execution-plan-miss"],
    ["is shown as something else", { ...echo, rawCommand: "ls" }, "INVALID_REQUEST", "execution-plan-miss"],
    ["wants the screen", { ...echo, needsScreenRecording: true }, "INVALID_REQUEST", "permission:screenRecording"],
  ])("of a command that %s says so in a reason the node host passes on", async (_, request, code, reason) => {
    expect(await exec(request)).toMatchObject({ ok: false, error: { code, reason } });
  });

  test("with an approval token, and with the binding that was approved, runs what was approved, once", async () => {
    const argv = ["/usr/bin/id", "-u"];
    const bound = { cwd: "/tmp", sessionKey: "s" };
    const approvalId = await approve(gateway, operator, { argv, ...bound });
    const { approvalToken = null } = await gateway.must("exec.approval.waitDecision", { id: approvalId });
    const { binding = null } = await gateway.must("system.run.prepare", { argv, ...bound });
    const request = { command: argv, ...bound, approvalToken, binding };
    expect(await exec({ ...request, command: ["/usr/bin/id", "-g"], binding: null })).toMatchObject({
      error: { code: "binding.argv-differs", reason: "execution-plan-miss" },
    });
    expect(await exec({ ...request, cwd: "/" })).toMatchObject({ ok: false });
    expect(await exec(request)).toMatchObject({ ok: true, payload: { stdout: `${process.getuid?.()}\n` } });
    expect(await exec(request)).toMatchObject({ error: { code: "approval.consumed", reason: "approval-required" } });
  });

  test("comes to the same decision as the native protocol", async () => {
    const requests: readonly JsonObject[] = [
      { argv: ["/usr/bin/echo", "hi"] },
      { argv: ["echo", "hi"] },
      { argv: ["/bin/echo", "hi"] },
      { argv: ["/usr/bin/id"] },
      { argv: ["/bin/sh", "-c", "echo hi && echo ho"] },
      { argv: ["/bin/sh", "-c", "echo hi > /tmp/x"] },
      { argv: ["/bin/sh", "-c", "id"] },
      { argv: ["nice", "/usr/bin/echo", "hi"] },
      { argv: ["sudo", "/usr/bin/echo", "hi"] },
      { argv: ["/usr/bin/echo", "hi"], env: { FOO: "1" } },
      { argv: ["/usr/bin/echo", "hi"], env: { PATH: "/tmp" } },
      { argv: ["/usr/bin/echo", "hi"], cwd: "/nonexistent" },
      { argv: ["/usr/bin/echo", "hi"], agentId: "locked" },
      { argv: ["/usr/bin/false"] },
      { argv: ["nothing-of-the-kind"] },
    ];
    for (const { argv, ...rest } of requests) {
      const native = await gateway.call("system.run", { argv, ...rest });
      const dialect = await exec({ command: argv ?? null, ...rest });
      const error = dialect?.["error"];
      if (native.ok)
        expect([argv, dialect]).toMatchObject([
          argv,
          { payload: { exitCode: native.result["exitCode"], stdout: native.result["stdout"] } },
        ]);
      else expect([argv, isJsonObject(error) ? error["code"] : dialect]).toEqual([argv, native.code]);
    }
  });

  test("whose reader has gone is ended, and one who only finished talking is waited for", async () => {
    const begun = join(daemon.home, "begun");
    const ended = join(daemon.home, "ended");
    writeFileSync(join(daemon.home, "slow.sh"), `#!/bin/sh\ntouch ${begun}\nsleep 3\ntouch ${ended}\n`, { mode: 0o755 });
    const argv = [join(daemon.home, "slow.sh")];
    const approvalId = await approve(gateway, operator, { argv, cwd: "/" });
    const { approvalToken = null } = await gateway.must("exec.approval.waitDecision", { id: approvalId });
    const running = exchange(daemon.socketPath, execLine(daemon.gatewayToken, { command: argv, cwd: "/", approvalToken }));
    for (let round = 0; round < 100 && !existsSync(begun); round += 1) await sleep(20);
    await sleep(600);
    running.socket.destroy();
    for (let round = 0; round < 150; round += 1) {
      const counts = (await operator.must("status"))["counts"];
      if (isJsonObject(counts) && counts["running"] === 0) break;
      await sleep(20);
    }
    await sleep(2_000);
    expect(existsSync(begun)).toBe(true);
    expect(existsSync(ended)).toBe(false);
  });
});

describe("any other type", () => {
  test.each(['{"type":"hello"}', '{"type":"decision","id":"x","decision":"allow-once"}', '{"type":""}'])(
    "%s: close, no answer",
    async (line) => {
      expect(await exchange(daemon.socketPath, line).answer).toBeNull();
    },
  );

  test("a second line is not looked at", async () => {
    const line = execLine(daemon.gatewayToken, { command: ["/usr/bin/echo", "one"] });
    const second = execLine(daemon.gatewayToken, { command: ["/usr/bin/echo", "two"] });
    expect(await exchange(daemon.socketPath, `${line}\n${second}`).answer).toMatchObject({ payload: { stdout: "one\n" } });
  });
});

describe("a restart", () => {
  test("does not take a frame that the daemon before it may have taken", async () => {
    const first = await startTestDaemon({ document: { version: 1, agents: { "*": { allowlist: ["/usr/bin/echo"] } } } });
    const line = execLine(first.gatewayToken, { command: ["/usr/bin/echo", "hi"] });
    expect(await exchange(first.socketPath, line).answer).toMatchObject({ ok: true });
    await first.kill();
    const second = await startTestDaemon({ stateDir: first.stateDir });
    expect(await exchange(second.socketPath, line).answer).toMatchObject({ error: { reason: "ttl" } });
    await second.stop();
    await first.stop();
  });
});

describe("with openclaw.trustForwardedDecisions", () => {
  let trusting: TestDaemon;
  let listener: Session;
  beforeAll(async () => {
    trusting = await startTestDaemon({
      settings: { openclaw: { trustForwardedDecisions: true }, tools: { exec: { maxOutputBytes: 2_000_000 } } },
      document: { version: 1, defaults: { security: "allowlist" }, agents: { locked: { security: "deny" }, silent: { ask: "off" } } },
    });
    listener = await openSession(trusting, "operator");
  });
  afterAll(async () => {
    listener.close();
    await trusting.stop();
  });

  async function forwarded(request: JsonObject): Promise<JsonObject | null> {
    return exchange(trusting.socketPath, execLine(trusting.gatewayToken, request)).answer;
  }

  test.each(["main", "silent"])(
    "a forwarded yes runs what is found, once, and is on record as the gateway's word (%s)",
    async (agentId) => {
      const request = { command: ["/usr/bin/id", "-u"], agentId, approvalDecision: "allow-once" };
      expect(await forwarded({ ...request, approvalDecision: null })).toMatchObject({ ok: false });
      expect(await forwarded(request)).toMatchObject({ ok: true, payload: { exitCode: 0 } });
      const { approvals } = await listener.must("exec.approval.list", { state: "consumed" });
      const mine = Array.isArray(approvals)
        ? approvals.filter((approval) => isJsonObject(approval) && approval["agentId"] === agentId)
        : [];
      expect(mine).toMatchObject([{ decision: "allow-once", by: expect.stringContaining("gateway, forwarded") }]);
      expect(await forwarded({ ...request, approvalDecision: null })).toMatchObject({ ok: false });
    },
  );

  test("a forwarded yes that names what was approved holds for that alone", async () => {
    const native = await openSession(trusting, "gateway");
    const { binding = null } = await native.must("system.run.prepare", { argv: ["/usr/bin/id", "-g"] });
    native.close();
    const request = { command: ["/usr/bin/id", "-g"], approvalDecision: "allow-once", binding };
    expect(await forwarded(request)).toMatchObject({ ok: true });
    expect(await forwarded({ ...request, command: ["/usr/bin/id", "-G"] })).toMatchObject({ error: { code: "binding.differs" } });
  });

  test("a forwarded always is stored like one of our own", async () => {
    const request = { command: ["/usr/bin/uname", "-s"], approvalDecision: "allow-always" };
    expect(await forwarded(request)).toMatchObject({ ok: true });
    expect(await forwarded({ ...request, approvalDecision: null })).toMatchObject({ ok: true });
  });

  test("an answer is never longer than a line: of much output the end is told", async () => {
    const answer = await forwarded({ command: ["/usr/bin/head", "-c", "1500000", "/dev/zero"], approvalDecision: "allow-once" });
    expect(answer).toMatchObject({ ok: true, payload: { exitCode: 0, success: true, stdout: expect.stringMatching(/^\0{50000}/) } });
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(LINE_BYTES_MAX);
  });

  test("a request that nobody is there to answer is denied at once", async () => {
    const asked = performance.now();
    const line = requestLine(trusting.gatewayToken, { command: "make" });
    expect(await exchange(trusting.socketPath, line).answer).toMatchObject({ type: "decision", decision: "deny" });
    expect(performance.now() - asked).toBeLessThan(5_000);
  });

  test("no forwarded word lifts what no approval lifts", async () => {
    expect(await forwarded({ command: ["/usr/bin/id"], agentId: "locked", approvalDecision: "allow-once" })).toMatchObject({
      error: { code: "policy.security-deny", reason: "security=deny" },
    });
    expect(await forwarded({ command: ["/usr/bin/id"], env: { LD_PRELOAD: "x" }, approvalDecision: "allow-always" })).toMatchObject({
      error: { code: "env.forbidden" },
    });
  });
});
