import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { type Client, connect, isCallError } from "../../src/client/client.ts";
import { DRAIN_WITHIN_MS } from "../../src/core/limits.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/daemon.ts";
import { MAIN } from "../support/program.ts";

const daemons: TestDaemon[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const daemon of daemons.splice(0)) await daemon.stop();
});

async function start(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const daemon = await startTestDaemon(options);
  daemons.push(daemon);
  return daemon;
}

async function as(role: "gateway" | "operator", daemon: TestDaemon): Promise<Client> {
  const token = role === "gateway" ? daemon.gatewayToken : daemon.operatorToken;
  const client = await connect({ socketPath: daemon.socketPath, token, role });
  clients.push(client);
  return client;
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await call)}`;
  } catch (error) {
    return isCallError(error) ? error.code : String(error);
  }
}

const FULL = { version: 1, defaults: { security: "full", ask: "off" } };

async function tryToStart(stateDir: string, args: readonly string[] = []): Promise<{ readonly code: number; readonly stderr: string }> {
  const root = process.getuid?.() === 0 ? ["--allow-root"] : [];
  try {
    await promisify(execFile)(process.execPath, [MAIN, "daemon", "--state-dir", stateDir, ...root, ...args], { timeout: 10_000 });
    return { code: 0, stderr: "" };
  } catch (error) {
    const { code, stderr } = Object.assign({ code: -1, stderr: "" }, error);
    return { code, stderr };
  }
}

describe("stopping", () => {
  test("SIGTERM finishes what runs, refuses what is new and leaves no socket", async () => {
    const daemon = await start({ document: FULL });
    const gateway = await as("gateway", daemon);
    const other = await as("gateway", daemon);
    const running = gateway.call("system.run", { argv: ["sh", "-c", "sleep 1; echo done"] });
    await sleep(400);
    daemon.process.kill("SIGTERM");
    await sleep(100);
    expect(await codeOf(other.call("system.run", { argv: ["true"] }))).toMatch(/shutting-down|client.closed/);
    expect(await running).toMatchObject({ stdout: "done\n", exitCode: 0 });
    await sleep(300);
    expect(daemon.process.exitCode).toBe(0);
    expect(existsSync(daemon.socketPath)).toBe(false);
  });

  test("what still runs half a minute after SIGTERM is ended, and is in the log as that", async () => {
    const daemon = await start({ document: FULL });
    const gateway = await as("gateway", daemon);
    const running = gateway.call("system.run", { argv: ["/bin/sleep", "90"] });
    await sleep(400);
    const stoppedAt = performance.now();
    const gone = new Promise((resolve) => daemon.process.once("close", resolve));
    daemon.process.kill("SIGTERM");
    expect(await running).toMatchObject({ cancelled: true, signal: "SIGTERM", escaped: [] });
    await gone;
    const tookMs = performance.now() - stoppedAt;
    expect(tookMs).toBeGreaterThan(DRAIN_WITHIN_MS - 100);
    expect(tookMs).toBeLessThan(DRAIN_WITHIN_MS + 5_000);
  });

  test("a second SIGTERM ends what runs at once", async () => {
    const daemon = await start({ document: FULL });
    const gateway = await as("gateway", daemon);
    const running = codeOf(gateway.call("system.run", { argv: ["sleep", "60"] }));
    await sleep(400);
    daemon.process.kill("SIGTERM");
    await sleep(100);
    const before = Date.now();
    daemon.process.kill("SIGTERM");
    await running;
    while (daemon.process.exitCode === null && Date.now() - before < 10_000) await sleep(20);
    expect(daemon.process.exitCode).toBe(0);
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  test("whoever waits for a person is told, and the question is still there after the restart", async () => {
    const daemon = await start();
    const [gateway, operator] = [await as("gateway", daemon), await as("operator", daemon)];
    await operator.call("events.subscribe", { topics: ["exec.approval.requested"] });
    const asked = await gateway.call("exec.approval.request", { argv: ["id"], twoPhase: true });
    const waiting = codeOf(gateway.call("exec.approval.waitDecision", { id: asked.id ?? "" }));
    await sleep(100);
    daemon.process.kill("SIGTERM");
    expect(await waiting).toBe("shutting-down");
    while (daemon.process.exitCode === null) await sleep(20);
    const second = await start({ stateDir: daemon.stateDir });
    const again = await as("operator", second);
    expect(await again.call("exec.approval.get", { id: asked.id ?? "" })).toMatchObject({ state: "pending" });
    await second.stop();
  });
});

describe("starting", () => {
  test("a second daemon on the same state is refused and the first goes on", async () => {
    const daemon = await start();
    expect(await tryToStart(daemon.stateDir)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("another daemon works on this state directory"),
    });
    expect(await (await as("gateway", daemon)).call("status")).toMatchObject({ protocol: 1 });
  });

  test.each([
    ["the document is cut short", "exec-approvals.json", '{"version":1,', 78, "exec-approvals.json"],
    ["the settings have a mistake", "countersign.json5", '{ tools: { exec: { securty: "full" } } }', 78, "securty"],
    ["the trusted keys are broken", "trust.json", "{}", 78, "trust.json"],
  ])("when %s nothing listens and the reason is said", async (_, file, content, code, word) => {
    const daemon = await start();
    await daemon.kill();
    writeFileSync(join(daemon.stateDir, file), content, { mode: 0o600 });
    const tried = await tryToStart(daemon.stateDir);
    expect(tried.code).toBe(code);
    expect(tried.stderr).toContain(word);
    expect(readFileSync(join(daemon.stateDir, file), "utf8")).toBe(content);
  });

  test.runIf(process.getuid?.() === 0)("as root it refuses without --allow-root (needs root)", async () => {
    const daemon = await start();
    await daemon.kill();
    const tried = await promisify(execFile)(process.execPath, [MAIN, "daemon", "--state-dir", daemon.stateDir]).catch(
      (error: unknown) => error,
    );
    expect(tried).toMatchObject({ code: 78, stderr: expect.stringContaining("--allow-root") });
  });

  test("everything in the state directory is for its owner alone", async () => {
    const daemon = await start();
    for (const name of ["", "approvals", "audit"]) expect(statSync(join(daemon.stateDir, name)).mode & 0o777).toBe(0o700);
    for (const name of ["exec-approvals.json", "exec-approvals.sock", "operator.token", "approval-token.key"])
      expect(statSync(join(daemon.stateDir, name)).mode & 0o777).toBe(0o600);
  });
});

describe("settings", () => {
  test("a change holds for the next command; a broken file keeps the old ones and status says why", async () => {
    const daemon = await start({ document: FULL });
    const gateway = await as("gateway", daemon);
    const file = join(daemon.stateDir, "countersign.json5");
    const run = (): Promise<string> => codeOf(gateway.call("system.run", { argv: ["true"] }).then(({ exitCode }) => exitCode));
    expect(await run()).toBe("answered 0");
    writeFileSync(file, '{ tools: { exec: { security: "deny" } } }', { mode: 0o600 });
    expect(await run()).toBe("policy.security-deny");
    writeFileSync(file, '{ tools: { exec: { security: "everything" } } }', { mode: 0o600 });
    expect(await run()).toBe("policy.security-deny");
    expect(JSON.stringify(await gateway.call("status"))).toContain("tools.exec.security");
  });

  test("SIGHUP reads an operator's token that was replaced by hand, and ends the connections that used the old one", async () => {
    const daemon = await start();
    const operator = await as("operator", daemon);
    const token = "n".repeat(32);
    writeFileSync(join(daemon.stateDir, "operator.token"), `${token}\n`, { mode: 0o600 });
    daemon.process.kill("SIGHUP");
    await sleep(200);
    expect(await codeOf(operator.call("status"))).toBe("auth.failed");
    const again = await connect({ socketPath: daemon.socketPath, token, role: "operator" });
    clients.push(again);
    expect(await again.call("status")).toMatchObject({ role: "operator" });
  });
});

test("rotating the gateway's token ends the connections that used it; the new one is in the document", async () => {
  const daemon = await start();
  const [gateway, operator] = [await as("gateway", daemon), await as("operator", daemon)];
  const { token } = await operator.call("token.rotate", { role: "gateway" });
  await sleep(100);
  expect(await codeOf(gateway.call("status"))).toBe("auth.failed");
  expect(JSON.parse(readFileSync(join(daemon.stateDir, "exec-approvals.json"), "utf8"))).toMatchObject({ socket: { token } });
});
