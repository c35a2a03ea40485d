import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Client, connect, isCallError } from "../../src/client/client.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";

let daemon: TestDaemon;
let gateway: Client;
let operator: Client;
const open: Client[] = [];

async function as(role: "gateway" | "operator"): Promise<Client> {
  const token = role === "gateway" ? daemon.gatewayToken : daemon.operatorToken;
  const client = await connect({ socketPath: daemon.socketPath, token, role });
  open.push(client);
  return client;
}

beforeEach(async () => {
  daemon = await startTestDaemon();
  gateway = await as("gateway");
  operator = await as("operator");
});
afterEach(async () => {
  for (const client of open.splice(0)) client.close();
  await daemon.stop();
});

const attach = (client: Client = operator): Promise<JsonObject> => client.call("events.subscribe", { topics: ["exec.approval.requested"] });

async function ask(argv: readonly string[], more: JsonObject = {}): Promise<string> {
  const asked = await gateway.call("exec.approval.request", { argv, cwd: daemon.home, twoPhase: true, ...more });
  if (asked.status !== "accepted" || asked.id === undefined) throw new Error(JSON.stringify(asked));
  return asked.id;
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await call)}`;
  } catch (error) {
    return isCallError(error) ? error.code : String(error);
  }
}

describe("asking", () => {
  test("with nobody there it expires at once as no-route", async () => {
    const before = Date.now();
    expect(await gateway.call("exec.approval.request", { argv: ["id"], twoPhase: true })).toMatchObject({
      status: "expired",
      reason: "approval.no-route",
    });
    expect(Date.now() - before).toBeLessThan(2_000);
  });

  test("the same requestKey gives the same record, with another command it is a conflict", async () => {
    await attach();
    const id = await ask(["id"], { requestKey: "k" });
    expect(await ask(["id"], { requestKey: "k" })).toBe(id);
    expect(await codeOf(ask(["id", "-u"], { requestKey: "k" }))).toBe("approval.id-conflict");
  });

  test("an operator hears of it with the overrides' values, the gateway without them", async () => {
    const heard = operator.subscribe(["exec.approval.requested"])[Symbol.asyncIterator]();
    expect((await heard.next()).value).toEqual({ kind: "connected" });
    const id = await ask(["id"], { env: { FLAVOUR: "cherry" } });
    expect(JSON.stringify((await heard.next()).value)).toContain("cherry");
    expect(await operator.call("exec.approval.get", { id })).toMatchObject({ display: { env: { FLAVOUR: "cherry" } } });
    expect(JSON.stringify(await gateway.call("exec.approval.get", { id }))).not.toContain("cherry");
    await heard.return?.();
  });

  test("where policy says yes no record is made", async () => {
    const { hash } = await operator.call("exec.approvals.get");
    await operator.call("exec.approvals.patch", { baseHash: hash, agentId: "main", add: ["/usr/bin/id"] });
    expect(await gateway.call("exec.approval.request", { argv: ["id"] })).toMatchObject({ decision: "not-needed" });
  });
});

describe("deciding", () => {
  test("a prefix is enough, the first answer wins, the same again succeeds, another says who was first", async () => {
    await attach();
    const id = await ask(["id"]);
    expect(await operator.call("exec.approval.resolve", { id: id.slice(0, 8), decision: "allow-once" })).toMatchObject({
      state: "allowed",
    });
    expect(await operator.call("exec.approval.resolve", { id, decision: "allow-once" })).toMatchObject({ state: "allowed" });
    expect(await codeOf(operator.call("exec.approval.resolve", { id, decision: "deny" }))).toBe("approval.already-resolved");
  });

  test("a gateway may not decide what it asked", async () => {
    await attach();
    const id = await ask(["id"]);
    expect(await codeOf(gateway.call("exec.approval.resolve", { id, decision: "allow-once" }))).toBe("auth.forbidden");
  });

  test("a denial reaches whoever waits, with its reason, and the run is refused with it", async () => {
    await attach();
    const id = await ask(["id"]);
    const waiting = gateway.call("exec.approval.waitDecision", { id });
    await operator.call("exec.approval.resolve", { id, decision: "deny", reason: "not on a Friday" });
    expect(await waiting).toMatchObject({ state: "denied", decision: "deny", reason: "not on a Friday" });
    expect(await codeOf(gateway.call("system.run", { argv: ["id"], cwd: daemon.home, approvalId: id }))).toBe("approval.denied");
  });

  test("one bounded by uses is used up by that many runs", async () => {
    await attach();
    const id = await ask(["id", "-u"]);
    await operator.call("exec.approval.resolve", { id, decision: "allow-always", uses: 2 });
    const run = (): Promise<string> =>
      codeOf(gateway.call("system.run", { argv: ["id", "-u"], cwd: daemon.home }).then((r) => r.decidedBy));
    expect([await run(), await run(), await run()]).toEqual(['answered "allowlist"', 'answered "allowlist"', "approval.required"]);
  });
});

describe("using", () => {
  test("runs once, with the token that went to the requester alone", async () => {
    await attach();
    const id = await ask(["id"]);
    await operator.call("exec.approval.resolve", { id, decision: "allow-once" });
    const { approvalToken = "" } = await gateway.call("exec.approval.waitDecision", { id });
    expect(await operator.call("exec.approval.waitDecision", { id })).not.toHaveProperty("approvalToken");
    const run = { argv: ["id"], cwd: daemon.home, approvalToken };
    expect(await gateway.call("system.run", run)).toMatchObject({ exitCode: 0, decidedBy: "allow-once", approvalId: id });
    expect(await codeOf(gateway.call("system.run", run))).toBe("approval.consumed");
  });

  test("a run that is not what was approved uses nothing up", async () => {
    await attach();
    const id = await ask(["id"]);
    await operator.call("exec.approval.resolve", { id, decision: "allow-once" });
    expect(await codeOf(gateway.call("system.run", { argv: ["id", "-u"], cwd: daemon.home, approvalId: id }))).toBe("binding.argv-differs");
    expect(await codeOf(gateway.call("system.run", { argv: ["id"], cwd: "/", approvalId: id }))).toBe("binding.cwd-differs");
    expect(await gateway.call("system.run", { argv: ["id"], cwd: daemon.home, approvalId: id })).toMatchObject({ exitCode: 0 });
  });

  test("of many racing runs exactly one goes through", async () => {
    await attach();
    const id = await ask(["id"]);
    await operator.call("exec.approval.resolve", { id, decision: "allow-once" });
    const run = (): Promise<string> => codeOf(gateway.call("system.run", { argv: ["id"], cwd: daemon.home, approvalId: id }));
    const codes = await Promise.all(Array.from({ length: 50 }, run));
    expect(codes.filter((code) => code.startsWith("answered"))).toHaveLength(1);
    expect(codes.filter((code) => code === "approval.consumed")).toHaveLength(49);
  });

  test("with `wait` the run asks, and goes on when the answer comes", async () => {
    await attach();
    const running = gateway.call("system.run", { argv: ["id", "-u"], cwd: daemon.home, wait: true });
    for (;;) {
      const [pending] = (await operator.call("exec.approval.list", { state: "pending" })).approvals;
      if (pending !== undefined) {
        await operator.call("exec.approval.resolve", { id: pending.id, decision: "allow-once" });
        break;
      }
      await sleep(10);
    }
    expect(await running).toMatchObject({ exitCode: 0, decidedBy: "allow-once" });
  });
});

describe("a restart", () => {
  test("keeps what is pending and what was decided, and lets neither be used twice", async () => {
    await attach();
    const [pending, decided] = [await ask(["id"]), await ask(["id", "-u"])];
    await operator.call("exec.approval.resolve", { id: decided, decision: "allow-once" });
    await daemon.kill();
    const first = daemon;
    daemon = await startTestDaemon({ stateDir: first.stateDir });
    try {
      gateway = await as("gateway");
      operator = await as("operator");
      const waiting = gateway.call("exec.approval.waitDecision", { id: pending });
      await operator.call("exec.approval.resolve", { id: pending, decision: "allow-once" });
      expect(await waiting).toMatchObject({ state: "allowed" });
      const run = (id: string, argv: readonly string[]): Promise<string> =>
        codeOf(gateway.call("system.run", { argv, cwd: first.home, approvalId: id }).then(() => "ran"));
      expect([await run(decided, ["id", "-u"]), await run(decided, ["id", "-u"])]).toEqual(['answered "ran"', "approval.consumed"]);
      expect(await run(pending, ["id"])).toBe('answered "ran"');
      expect(await operator.call("audit.verify")).toMatchObject({ verdict: "intact" });
    } finally {
      await daemon.stop();
      daemon = first;
    }
  });

  test("between consumption and start has used the approval up, run nothing and says so", async () => {
    const mark = join(daemon.home, "mark");
    const held = join(daemon.home, "held");
    await daemon.kill();
    const first = daemon;
    daemon = await startTestDaemon({ stateDir: first.stateDir, env: { COUNTERSIGN_TEST_HOLD_AFTER_CONSUMPTION: held } });
    gateway = await as("gateway");
    operator = await as("operator");
    await attach();
    const id = await ask(["touch", mark]);
    await operator.call("exec.approval.resolve", { id, decision: "allow-once" });
    const cut = codeOf(gateway.call("system.run", { argv: ["touch", mark], cwd: daemon.home, approvalId: id }));
    while (!existsSync(held)) await sleep(5);
    await daemon.kill();
    expect(await cut).toBe("client.closed");
    daemon = await startTestDaemon({ stateDir: first.stateDir });
    try {
      gateway = await as("gateway");
      operator = await as("operator");
      expect(await codeOf(gateway.call("system.run", { argv: ["touch", mark], cwd: first.home, approvalId: id }))).toBe(
        "approval.consumed",
      );
      expect(existsSync(mark)).toBe(false);
      const { records } = await operator.call("audit.tail", {});
      expect(records).toContainEqual(expect.objectContaining({ type: "run.lost", approvalId: id, reason: "lost-to-restart" }));
    } finally {
      await daemon.stop();
      daemon = first;
    }
  });

  test("a record that was edited on disk is no approval any more", async () => {
    await attach();
    const id = await ask(["id"]);
    await operator.call("exec.approval.resolve", { id, decision: "allow-once" });
    await daemon.kill();
    const first = daemon;
    const file = join(first.stateDir, "approvals", `${id}.json`);
    writeFileSync(file, readFileSync(file, "utf8").replace('"id"]', '"ls"]'));
    daemon = await startTestDaemon({ stateDir: first.stateDir });
    try {
      gateway = await as("gateway");
      expect(await codeOf(gateway.call("system.run", { argv: ["ls"], cwd: first.home, approvalId: id }))).toBe("state.corrupt");
    } finally {
      await daemon.stop();
      daemon = first;
    }
  });
});
