import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fdOf } from "../../src/daemon/socket-fd.ts";
import { listenOn, notifierOf, takeHandOver } from "../../src/daemon/systemd.ts";
import { loadNative } from "../../src/native/libc.ts";
import { datagramsAt } from "../support/datagrams.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(() => scratch.remove());

describe("what systemd hands over", () => {
  const own = String(process.pid);

  test.each([
    ["nothing", {}, { listenFd: null, notifySocket: null, watchdogMs: null }],
    [
      "everything",
      { LISTEN_PID: own, LISTEN_FDS: "1", LISTEN_FDNAMES: "x", NOTIFY_SOCKET: "@n", WATCHDOG_USEC: "500000", WATCHDOG_PID: own },
      { listenFd: 3, notifySocket: "@n", watchdogMs: 500 },
    ],
    [
      "something meant for another process",
      { LISTEN_PID: "1", LISTEN_FDS: "1", WATCHDOG_USEC: "5", WATCHDOG_PID: "1" },
      { listenFd: null, notifySocket: null, watchdogMs: null },
    ],
    ["a watchdog for whoever it is", { WATCHDOG_USEC: "2000" }, { listenFd: null, notifySocket: null, watchdogMs: 2 }],
  ])("%s is read once and gone from the environment", (_, given, expected) => {
    const environment: NodeJS.ProcessEnv = { PATH: "/bin", ...given };
    expect(takeHandOver(environment)).toEqual({ ok: true, value: expected });
    expect(environment).toEqual({ PATH: "/bin" });
  });

  test.each(["2", "-1", "x", "1.5"])("a number of sockets like %s is refused, and still scrubbed", (count) => {
    const environment: NodeJS.ProcessEnv = { LISTEN_PID: own, LISTEN_FDS: count };
    expect(takeHandOver(environment)).toMatchObject({ ok: false, failure: { code: "config.invalid" } });
    expect(environment).toEqual({});
  });

  test("a listening socket is served, and its name outlives us", async () => {
    const native = loadNative();
    if (native === null) throw new Error("this test needs native code");
    const path = join(scratch.path, "s");
    const unit = createServer();
    await new Promise<void>((settle) => unit.listen(path, settle));
    const handed = native.duplicateFrom(fdOf(unit) ?? -1, 50);
    const server = createServer((socket) => socket.end("hello"));
    expect(await listenOn(server, handed)).toEqual({ ok: true, value: null });
    unit.removeAllListeners("connection").on("connection", (socket) => socket.end("hello"));
    const heard = await new Promise<string>((settle) => createConnection(path).on("data", (chunk) => settle(chunk.toString())));
    expect(heard).toBe("hello");
    await new Promise<void>((settle) => void server.close(() => settle()));
    expect(unit.listening).toBe(true);
    await new Promise<void>((settle) => void unit.close(() => settle()));
  });

  test("a socket on a network is refused", async () => {
    const native = loadNative();
    if (native === null) throw new Error("this test needs native code");
    const unit = createServer();
    await new Promise<void>((settle) => unit.listen(0, "127.0.0.1", settle));
    expect(await listenOn(createServer(), native.duplicateFrom(fdOf(unit) ?? -1, 50))).toMatchObject({ ok: false });
    await new Promise<void>((settle) => void unit.close(() => settle()));
  });

  test("something that is no socket is refused", async () => {
    expect(await listenOn(createServer(), 987_654)).toMatchObject({ ok: false, failure: { code: "config.invalid" } });
  });
});

describe("what systemd hears", () => {
  test.each(["path", "abstract"])("goes to a socket with a %s name, and the heart beats", async (kind) => {
    const name = kind === "path" ? join(scratch.path, "n") : `@countersign-test-${process.pid}`;
    const datagrams = datagramsAt(name);
    const notifier = notifierOf({ listenFd: null, notifySocket: name, watchdogMs: 20 }, loadNative(), null);
    notifier.ready();
    notifier.reloading();
    notifier.status("one\ntwo");
    notifier.stopping();
    expect(datagrams.take()).toEqual([
      "READY=1",
      expect.stringMatching(/^RELOADING=1\nMONOTONIC_USEC=\d+$/),
      "STATUS=one two",
      "STOPPING=1",
    ]);
    await sleep(100);
    notifier.close();
    expect(datagrams.take()).toContain("WATCHDOG=1");
    await sleep(50);
    expect(datagrams.take()).toEqual([]);
    datagrams.close();
  });

  test("goes through systemd-notify without native code, and nowhere when nobody listens", () => {
    const told: (readonly [string, readonly string[]])[] = [];
    const listening = { listenFd: null, notifySocket: "/run/n", watchdogMs: null };
    notifierOf(listening, null, (...call) => void told.push(call)).ready();
    notifierOf({ ...listening, notifySocket: null }, null, (...call) => void told.push(call)).ready();
    notifierOf(listening, loadNative(), (...call) => void told.push(call)).ready();
    expect(told).toEqual([["/run/n", ["READY=1"]]]);
    expect(loadNative()?.sendDatagram(`/${"x".repeat(200)}`, Buffer.from("x"))).toBe(false);
  });
});
