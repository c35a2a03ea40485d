import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Credentials, callerByToken } from "../../src/auth/caller.ts";
import { proofOf } from "../../src/auth/secret.ts";
import type { CancelSignal } from "../../src/core/cancellation.ts";
import { denial } from "../../src/core/denial.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import {
  AUTH_FAILURES_PER_DELAY_PER_UID_MAX,
  CALLS_PER_CONNECTION_MAX,
  CONNECTIONS_KEPT_FOR_OPERATORS,
  CONNECTIONS_MAX,
  LINE_BYTES_MAX,
  OUTGOING_BYTES_MAX,
  UNAUTHENTICATED_MAX,
} from "../../src/core/limits.ts";
import { fail, ok } from "../../src/core/result.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import type { CallContext } from "../../src/daemon/call-context.ts";
import type { ConnectionEvent } from "../../src/daemon/connection-host.ts";
import { type Connections, type ConnectionsOptions, serveConnections } from "../../src/daemon/connections.ts";
import { loadNative } from "../../src/native/libc.ts";
import { type RawClient, rawClient } from "../support/raw-client.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

const GATEWAY = "gateway-token-of-this-test";
const OPERATOR = "operator-token-of-this-test";
const NAMED = "named-gateway-token";
const FAST = { authenticateWithinMs: 400, hangupPollMs: 20, stallMs: 500, lingerMs: 150, failureDelayMs: 40 };

let credentials: Credentials;
let scratch: Scratch;
let server: Server;
let connections: Connections;
let events: ConnectionEvent[];
let contexts: CallContext[];
let release: () => void;
let released: Promise<void>;
const clients: RawClient[] = [];

/** Not a daemon: `status` answers at once, `system.which` when the test says so, `audit.verify` throws, `audit.tail` is long. */
function start(more: Partial<ConnectionsOptions> = {}): void {
  server = createServer({ allowHalfOpen: true });
  connections = serveConnections(server, {
    handle: async (call, context) => {
      contexts.push(context);
      if (call.method === "system.which") await released;
      if (call.method === "audit.verify") throw new Error("a mistake");
      if (call.method === "audit.tail") return ok({ lines: "x".repeat(LINE_BYTES_MAX - 100) });
      if (call.method === "events.subscribe") context.retain();
      if (call.method === "system.run.cancel") return fail(denial("exec.unknown-run", "no such run"));
      return ok({ method: call.method });
    },
    onDialect: null,
    native: loadNative(),
    timing: FAST,
    credentials: () => credentials,
    allowUids: () => [],
    welcome: (caller) => ({ role: caller.role }),
    observe: (event) => void events.push(event),
    ...more,
  });
}

async function listen(more: Partial<ConnectionsOptions> = {}): Promise<void> {
  start(more);
  await new Promise<void>((settle) => server.listen(join(scratch.path, "s"), 1024, settle));
}

async function client(): Promise<RawClient> {
  const opened = await rawClient(join(scratch.path, "s"));
  clients.push(opened);
  return opened;
}

async function member(token = GATEWAY): Promise<RawClient> {
  const opened = await client();
  expect(await opened.authenticate(token)).toHaveProperty("result");
  return opened;
}

const codeOf = (frame: JsonObject | null): unknown => {
  const error = frame?.["error"];
  const data = isJsonObject(error) ? error["data"] : undefined;
  return isJsonObject(data) ? data["code"] : undefined;
};

beforeEach(() => {
  scratch = scratchDirectory();
  events = [];
  contexts = [];
  released = new Promise((settle) => {
    release = settle;
  });
  credentials = {
    gatewayToken: GATEWAY,
    operatorToken: OPERATOR,
    gateways: new Map([["ci", { tokenSha256: sha256Of(NAMED), agents: ["main", "ops-*"] }]]),
    gatewayMayResolve: false,
  };
});

afterEach(async () => {
  for (const opened of clients.splice(0)) opened.close();
  release();
  connections.closeAll();
  await new Promise<void>((settle) => void server.close(() => settle()));
  scratch.remove();
});

describe("before authentication", () => {
  test.each([
    ["a call", '{"jsonrpc":"2.0","id":1,"method":"status"}\n', "auth.required", 1],
    ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"nope"}\n', "auth.required", 1],
    ["null", "null\n", "wire.not-an-object", null],
    ["an empty line", "\n", "wire.bad-json", null],
    ["duplicate keys", '{"jsonrpc":"2.0","id":1,"id":2,"method":"status"}\n', "wire.duplicate-key", null],
    ["__proto__", '{"__proto__":1}\n', "wire.forbidden-key", null],
    ["100,000 levels", `${"[".repeat(100_000)}\n`, "wire.too-deep", null],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), "wire.bad-utf8", null],
    ["a byte order mark", "\ufeff{}\n", "wire.bad-json", null],
    ["a token that is no string", '{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"token":0}}\n', "wire.invalid-params", 1],
    ["an overlong line", "x".repeat(LINE_BYTES_MAX + 1), "wire.line-too-long", null],
    ["a second hello", helloTwice(), "auth.required", 2],
  ])("%s gets one error and the connection closes", async (_, bytes, code, id) => {
    await listen();
    const opened = await client();
    opened.send(bytes);
    let frame = await opened.next();
    if (frame !== null && Object.hasOwn(frame, "result")) frame = await opened.next();
    expect(codeOf(frame)).toBe(code);
    expect(frame?.["id"]).toBe(id);
    expect(await opened.next()).toBeNull();
    opened.socket.end();
    await opened.closed;
    expect(contexts).toEqual([]);
  });

  test("a wrong token gets the one generic answer, late, and a right one is not kept waiting by it", async () => {
    await listen();
    for (const token of ["", "wrong", GATEWAY.slice(0, 8), `${GATEWAY}\0`, GATEWAY.toUpperCase(), ` ${GATEWAY}`]) {
      const opened = await client();
      const started = performance.now();
      expect(codeOf(await opened.authenticate(token))).toBe("auth.failed");
      expect(performance.now() - started).toBeGreaterThanOrEqual(FAST.failureDelayMs - 5);
      expect(await opened.next()).toBeNull();
    }
    const started = performance.now();
    await member();
    expect(performance.now() - started).toBeLessThan(FAST.failureDelayMs);
  });

  test("many guesses at once share one budget", async () => {
    await listen();
    const started = performance.now();
    const guessers = await Promise.all(Array.from({ length: 3 * AUTH_FAILURES_PER_DELAY_PER_UID_MAX }, client));
    const answers = await Promise.all(guessers.map((guesser) => guesser.authenticate("guess")));
    expect(answers.map(codeOf)).toEqual(answers.map(() => "auth.failed"));
    expect(performance.now() - started).toBeGreaterThanOrEqual(3.5 * FAST.failureDelayMs);
  });

  test("an empty stored token lets nobody in", async () => {
    credentials = {
      ...credentials,
      gatewayToken: "",
      operatorToken: "",
      gateways: new Map([["e", { tokenSha256: sha256Of(""), agents: null }]]),
    };
    await listen();
    expect(codeOf(await (await client()).authenticate(""))).toBe("auth.failed");
  });

  test("who says nothing in time is told so", async () => {
    await listen();
    const opened = await client();
    opened.send("{");
    expect(codeOf(await opened.next())).toBe("auth.timeout");
    expect(await opened.next()).toBeNull();
  });

  test("an unterminated line is not carried out", async () => {
    await listen();
    const opened = await client();
    opened.socket.end(`{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"token":"${GATEWAY}"}}`);
    expect(await opened.next()).toBeNull();
  });
});

function helloTwice(): string {
  const hello = (id: number): string =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "hello", params: { role: "gateway", nonce: "n".repeat(22) } });
  return `${hello(1)}\n${hello(2)}\n`;
}

describe("authentication", () => {
  test.each([
    ["gateway", GATEWAY],
    ["operator", OPERATOR],
  ] as const)("the mutual form proves both sides as %s", async (role, token) => {
    await listen();
    const opened = await client();
    const clientNonce = Buffer.alloc(16, 1).toString("base64url");
    opened.call(1, "hello", { role, nonce: clientNonce });
    const greeted = (await opened.answer(1))?.["result"];
    if (!isJsonObject(greeted) || typeof greeted["nonce"] !== "string") throw new Error("expected a greeting");
    const exchange = { role, clientNonce, serverNonce: greeted["nonce"] };
    expect(greeted["proof"]).toBe(proofOf(token, "server", exchange));
    opened.call(2, "authenticate", { proof: proofOf(token, "client", exchange) });
    expect(await opened.answer(2)).toMatchObject({ result: { role } });
  });

  test("the daemon's own proof, another role's and one without a greeting are all refused", async () => {
    await listen();
    for (const forge of [
      (proof: string) => proof,
      (_: string, serverNonce: string) => proofOf(GATEWAY, "client", { role: "operator", clientNonce: "c".repeat(22), serverNonce }),
      () => "",
    ]) {
      const opened = await client();
      opened.call(1, "hello", { role: "operator", nonce: "c".repeat(22) });
      const greeted = (await opened.answer(1))?.["result"];
      if (!isJsonObject(greeted)) throw new Error("expected a greeting");
      opened.call(2, "authenticate", {
        proof: forge(JSON.stringify(greeted["proof"]).slice(1, -1), JSON.stringify(greeted["nonce"]).slice(1, -1)),
      });
      expect(codeOf(await opened.answer(2))).toBe("auth.failed");
    }
    const opened = await client();
    opened.call(2, "authenticate", { proof: "x" });
    expect(codeOf(await opened.answer(2))).toBe("auth.failed");
  });

  test("a further gateway is known by name and speaks for its agents alone", async () => {
    await listen();
    const opened = await client();
    expect(await opened.authenticate(NAMED, { agentId: "ops-1" })).toMatchObject({ result: { role: "gateway" } });
    opened.call(1, "status");
    await opened.answer(1);
    expect(contexts[0]).toMatchObject({ caller: { credential: "gateway:ci" }, agentId: "ops-1" });
    expect(codeOf(await (await client()).authenticate(NAMED, { agentId: "other" }))).toBe("auth.forbidden");
  });

  test("a gateway may not do what is the operator's, unless the document lets it resolve", async () => {
    await listen();
    const resolve = { id: "7f3c2b1a", decision: "allow-once" };
    const gateway = await member();
    gateway.call(1, "exec.approval.resolve", resolve);
    expect(codeOf(await gateway.answer(1))).toBe("auth.forbidden");
    gateway.call(2, "audit.tail", { nonsense: 1 });
    expect(codeOf(await gateway.answer(2))).toBe("auth.forbidden");
    credentials = { ...credentials, gatewayMayResolve: true };
    const resolving = await member();
    resolving.call(1, "exec.approval.resolve", resolve);
    expect(await resolving.answer(1)).toHaveProperty("result");
    resolving.call(2, "audit.tail", {});
    expect(codeOf(await resolving.answer(2))).toBe("auth.forbidden");
  });

  test("rotating a token closes the connections that used it, at once or when their calls are done", async () => {
    await listen();
    const [gateway, named, operator, busy] = await Promise.all([member(), member(NAMED), member(OPERATOR), member()]);
    busy.call(1, "system.which", { names: ["x"] });
    await until(() => contexts.length === 1);
    credentials = { ...credentials, gatewayToken: "new" };
    connections.closeStale("drained");
    expect(codeOf(await gateway.next())).toBe("auth.failed");
    busy.call(2, "status");
    expect(codeOf(await busy.answer(2))).toBe("auth.failed");
    release();
    expect(await busy.answer(1)).toHaveProperty("result");
    expect(codeOf(await busy.next())).toBe("auth.failed");
    for (const still of [named, operator]) {
      still.call(1, "status");
      expect(await still.answer(1)).toHaveProperty("result");
    }
    credentials = { ...credentials, gateways: new Map(), operatorToken: "new" };
    connections.closeStale("now");
    expect(codeOf(await named.next())).toBe("auth.failed");
    expect(codeOf(await operator.next())).toBe("auth.failed");
  });
});

async function until(holds: () => boolean, withinMs = 5000): Promise<void> {
  for (const started = performance.now(); !holds(); await sleep(5)) {
    if (performance.now() - started > withinMs) throw new Error("it did not come to pass in time");
  }
}

describe("after authentication", () => {
  test("a refused frame gets an error and the connection lives on", async () => {
    await listen();
    const opened = await member();
    for (const [bytes, code] of [
      ["null\n", "wire.not-an-object"],
      ['{"jsonrpc":"2.0","id":"x","method":"status","extra":1}\n', "wire.unknown-field"],
      [Buffer.from([0xff, 0x0a]), "wire.bad-utf8"],
      ['{"jsonrpc":"2.0","id":"x","method":"nope"}\n', "wire.unknown-method"],
      ['{"jsonrpc":"2.0","id":"x","method":"authenticate","params":{"token":"x"}}\n', "auth.forbidden"],
      ['{"type":"request","id":"1"}\n', "wire.invalid-params"],
      [`${"[".repeat(100_000)}\n`, "wire.too-deep"],
    ] as const) {
      opened.send(bytes);
      expect(codeOf(await opened.next())).toBe(code);
    }
    opened.call(9, "status");
    expect(await opened.answer(9)).toEqual({ jsonrpc: "2.0", id: 9, result: { method: "status" } });
  });

  test("an overlong line closes it", async () => {
    await listen();
    const opened = await member();
    opened.call(1, "system.which", { names: ["x"] });
    await until(() => contexts.length === 1);
    opened.send("x".repeat(LINE_BYTES_MAX + 1));
    expect(codeOf(await opened.next())).toBe("wire.line-too-long");
    expect(await opened.next()).toBeNull();
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  test("answers come as they are ready, denials and mistakes as errors", async () => {
    await listen();
    const opened = await member(OPERATOR);
    opened.call("slow", "system.which", { names: ["x"] });
    opened.call("quick", "status");
    opened.call("denied", "system.run.cancel", { runId: "r" });
    opened.call("mistake", "audit.verify");
    expect((await opened.next())?.["id"]).toBe("quick");
    expect(codeOf(await opened.next())).toBe("exec.unknown-run");
    expect(codeOf(await opened.next())).toBe("internal");
    release();
    expect((await opened.next())?.["id"]).toBe("slow");
    expect(events.some((event) => event.kind === "threw")).toBe(true);
  });

  test("the 257th call under way is refused, and the place is free again afterwards", async () => {
    await listen();
    const opened = await member();
    for (let id = 0; id < CALLS_PER_CONNECTION_MAX; id += 1) opened.call(id, "system.which", { names: ["x"] });
    opened.call("one more", "status");
    expect(codeOf(await opened.answer("one more"))).toBe("overloaded");
    release();
    expect(await opened.answer(CALLS_PER_CONNECTION_MAX - 1)).toHaveProperty("result");
    opened.call("now", "status");
    expect(await opened.answer("now")).toHaveProperty("result");
  });

  test("10,000 calls in one write are all answered", async () => {
    await listen();
    const opened = await member();
    opened.send(Array.from({ length: 10_000 }, (_, id) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "status" })}\n`).join(""));
    for (let answered = 0; answered < 10_000; answered += 1) expect(await opened.next()).toHaveProperty("result");
  });

  test("draining refuses new calls, lets those under way finish, and then everything is closed", async () => {
    await listen();
    const [busy, idle, unknown] = [await member(), await member(), await client()];
    busy.call(1, "system.which", { names: ["x"] });
    await until(() => contexts.length === 1);
    const drained = connections.drain(denial("shutting-down", "stopping"));
    expect(codeOf(await idle.next())).toBe("shutting-down");
    expect(codeOf(await unknown.next())).toBe("shutting-down");
    expect(codeOf(await (await client()).next())).toBe("shutting-down");
    busy.call(2, "status");
    expect(codeOf(await busy.answer(2))).toBe("shutting-down");
    release();
    expect(await busy.answer(1)).toHaveProperty("result");
    expect(codeOf(await busy.next())).toBe("shutting-down");
    for (const opened of [busy, idle, unknown]) opened.socket.end();
    await drained;
    expect(connections.counts()).toMatchObject({ open: 0, unauthenticated: 0 });
  });
});

describe("a peer that has finished talking", () => {
  test("is answered, and then the connection ends", async () => {
    await listen();
    const opened = await member();
    opened.call(1, "system.which", { names: ["x"] });
    opened.socket.end();
    await sleep(3 * FAST.hangupPollMs);
    expect(contexts[0]?.signal.aborted).toBe(false);
    release();
    expect(await opened.answer(1)).toHaveProperty("result");
    expect(await opened.next()).toBeNull();
    await opened.closed;
  });

  test("keeps a subscription", async () => {
    await listen();
    const opened = await member();
    opened.call(1, "events.subscribe", { topics: ["exec.denied"] });
    opened.socket.end();
    await opened.answer(1);
    await sleep(3 * FAST.hangupPollMs);
    await contexts[0]?.notify("exec.denied", { code: "x" });
    expect(await opened.next()).toMatchObject({ method: "exec.denied", params: { code: "x" } });
  });

  test("and has gone is noticed, and its calls are told", async () => {
    await listen();
    const opened = await member();
    opened.call(1, "system.which", { names: ["x"] });
    await until(() => contexts.length === 1);
    opened.close();
    await until(() => contexts[0]?.signal.aborted === true);
    expect(connections.counts().open).toBe(0);
  });

  test("without native code counts as gone, unless it said that it would go on listening", async () => {
    await listen({ native: null });
    const [plain, announced] = [await member(), await client()];
    await announced.authenticate(GATEWAY, { halfClose: true });
    for (const opened of [plain, announced]) {
      opened.call(1, "system.which", { names: ["x"] });
      opened.socket.end();
    }
    await until(() => contexts.length === 2 && contexts.some((context) => context.signal.aborted));
    await sleep(2 * FAST.lingerMs);
    expect(contexts.filter((context) => context.signal.aborted)).toHaveLength(1);
    release();
    expect(await announced.answer(1)).toHaveProperty("result");
    expect(await plain.answer(1)).toBeNull();
  });

  test("without native code still gets answers that were ready", async () => {
    await listen({ native: null });
    const opened = await client();
    opened.call("auth", "authenticate", { token: GATEWAY });
    opened.call(1, "status");
    opened.socket.end();
    expect(await opened.answer(1)).toHaveProperty("result");
  });
});

describe("crowds", () => {
  test("a thousand connections at once: the unknown displace each other, whoever authenticates is served", async () => {
    await listen({ timing: { ...FAST, authenticateWithinMs: 30_000 } });
    const early = await member();
    const crowd = await Promise.all(Array.from({ length: 1000 }, () => client().catch(() => null)));
    await until(() => connections.counts().unauthenticated <= UNAUTHENTICATED_MAX);
    const started = performance.now();
    await member();
    early.call(1, "status");
    expect(await early.answer(1)).toHaveProperty("result");
    expect(performance.now() - started).toBeLessThan(1000);
    expect(codeOf((await crowd[0]?.next()) ?? null)).toBe("overloaded");
  });

  test("gateways leave room for operators", async () => {
    await listen();
    for (let opened = 0; opened < CONNECTIONS_MAX - CONNECTIONS_KEPT_FOR_OPERATORS; opened += 1) await member();
    expect(codeOf(await (await client()).authenticate(GATEWAY))).toBe("overloaded");
    for (let opened = 0; opened < CONNECTIONS_KEPT_FOR_OPERATORS; opened += 1) await member(OPERATOR);
    expect(codeOf(await (await client()).next())).toBe("overloaded");
  });

  test("200 slow clients, a byte now and then, keep nobody waiting and are dropped", async () => {
    await listen();
    const early = await member();
    const slow = await Promise.all(Array.from({ length: 200 }, client));
    for (const opened of slow) opened.send("{");
    const started = performance.now();
    early.call(1, "status");
    await early.answer(1);
    expect(performance.now() - started).toBeLessThan(1000);
    await until(() => connections.counts().unauthenticated === 0);
  });
});

describe("memory", () => {
  const held = (): number => process.memoryUsage().arrayBuffers;

  test("100 MB without a newline are not kept, before and after authentication", async () => {
    await listen();
    for (const opened of [await client(), await member()]) {
      const before = held();
      let most = 0;
      const piece = Buffer.alloc(1024 * 1024, 0x61);
      for (let sent = 0; sent < 100 && !opened.socket.destroyed && opened.socket.writable; sent += 1) {
        await new Promise<void>((settle) => void opened.socket.write(piece, () => settle()));
        most = Math.max(most, held() - before);
      }
      expect(most).toBeLessThan(64 * 1024 * 1024);
      expect(codeOf(await opened.next())).toBe("wire.line-too-long");
    }
  });

  test("answers that nobody reads stop the reading, then end the connection; others do not notice", async () => {
    await listen();
    const [deaf, other] = [await member(OPERATOR), await member()];
    deaf.socket.pause();
    for (let id = 0; id < 64; id += 1) deaf.call(id, "audit.tail");
    await until(() => connections.counts().open === 1);
    expect(held()).toBeLessThan(512 * 1024 * 1024);
    other.call(1, "status");
    expect(await other.answer(1)).toHaveProperty("result");
  });

  test("a flood of small lines whose answers nobody reads is paused, and dropped after a while", async () => {
    await listen();
    const deaf = await member();
    deaf.socket.pause();
    const before = contexts.length;
    const line = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "status" })}\n`.repeat(1000);
    let blocked = false;
    for (let sent = 0; sent < 200 && !blocked; sent += 1) blocked = !deaf.socket.write(line);
    await until(() => connections.counts().open === 0);
    expect(contexts.length - before).toBeLessThan(OUTGOING_BYTES_MAX / 50);
  });

  test("notify waits for a slow reader, and settles when it has gone", async () => {
    await listen({ timing: { ...FAST, stallMs: 60_000 } });
    const slow = await member();
    slow.call(1, "status");
    await slow.answer(1);
    slow.socket.pause();
    const [context] = contexts;
    let sent = 0;
    const flood = (async () => {
      for (; sent < 1000; sent += 1) await context?.notify("exec.output", { data: "x".repeat(64 * 1024) });
    })();
    await sleep(200);
    const stuckAt = sent;
    expect(stuckAt).toBeLessThan(100);
    await sleep(100);
    expect(sent).toBe(stuckAt);
    slow.socket.resume();
    await until(() => sent > stuckAt + 10);
    slow.close();
    await flood;
    expect(sent).toBe(1000);
  });
});

describe("another dialect", () => {
  test("owns the connection: one answer, and it is over", async () => {
    await listen({ onDialect: async ({ frame }) => ({ type: "decision", id: frame["id"] ?? null, decision: "deny" }) });
    const opened = await client();
    opened.socket.end('{"type":"request","id":"r1"}\n{"type":"request","id":"r2"}\n');
    expect(await opened.next()).toEqual({ type: "decision", id: "r1", decision: "deny" });
    expect(await opened.next()).toBeNull();
  });

  test("is timed like everybody until its credential was found right, and told when its peer has gone", async () => {
    const signals: CancelSignal[] = [];
    await listen({
      onDialect: async (exchange) => {
        const { signal, frame } = exchange;
        signals.push(signal);
        const { token } = frame;
        const caller = typeof token === "string" ? callerByToken(credentials, token) : null;
        if (caller !== null) exchange.admitted(caller);
        await new Promise<void>((settle) => signal.addEventListener("abort", () => settle()));
        return null;
      },
    });
    const [unknown, known] = [await client(), await client()];
    unknown.socket.end('{"type":"request","token":"x"}\n');
    known.socket.end(`{"type":"request","token":"${GATEWAY}"}\n`);
    await until(() => signals.length === 2);
    await until(() => signals.filter((signal) => signal.aborted).length === 1);
    await sleep(FAST.authenticateWithinMs);
    expect(signals.filter((signal) => signal.aborted).length).toBe(1);
    known.close();
    await until(() => signals.every((signal) => signal.aborted));
  });

  test("without a handler is closed without an answer, and a handler's mistake closes too", async () => {
    await listen();
    const opened = await client();
    opened.send('{"type":"request"}\n');
    expect(await opened.next()).toBeNull();
    connections.closeAll();
  });
});
