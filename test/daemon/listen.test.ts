import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import type { Denial } from "../../src/core/denial.ts";
import { SOCKET_PATH_BYTES_MAX } from "../../src/core/limits.ts";
import type { Result } from "../../src/core/result.ts";
import { type Listening, type ListenOptions, listenAt } from "../../src/daemon/listen.ts";
import { loadNative } from "../../src/native/libc.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
const servers: Server[] = [];

beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(async () => {
  for (const server of servers.splice(0)) if (server.listening) await new Promise<void>((settle) => void server.close(() => settle()));
  scratch.remove();
});

function path(name = "s.sock"): AbsolutePath {
  const parsed = parseAbsolutePath(join(scratch.path, name));
  if (!parsed.ok) throw new Error("expected a path");
  return parsed.value;
}

function listen(more: Partial<ListenOptions> = {}): Promise<Result<Listening, Denial>> {
  const server = createServer((socket) => socket.on("error", () => {}).end("hello"));
  servers.push(server);
  return listenAt(server, { path: path(), shared: false, native: loadNative(), ...more });
}

async function listening(more: Partial<ListenOptions> = {}): Promise<Listening> {
  const result = await listen(more);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

async function refusal(more: Partial<ListenOptions> = {}): Promise<Denial> {
  const result = await listen(more);
  if (result.ok) throw new Error("expected a refusal");
  expect(result.failure.message).toMatch(/^[^\n]*; [^\n]*[^.\n]$/);
  return result.failure;
}

function hears(at: string): Promise<string> {
  return new Promise((settle) => {
    const socket = createConnection(at);
    socket.on("data", (chunk) => settle(chunk.toString()));
    socket.on("error", (error) => settle(error.message));
  });
}

/** A socket that nobody answers at, as after SIGKILL. */
async function deadSocket(): Promise<void> {
  const server = createServer();
  await new Promise<void>((settle) => server.listen(path("dying"), settle));
  renameSync(path("dying"), path());
  await new Promise<void>((settle) => void server.close(() => settle()));
}

describe("the socket", () => {
  test.each([0o000, 0o022, 0o077, 0o777])("lies at 0600 whatever the umask (%o), listening, alone in its directory", async (umask) => {
    const before = process.umask(umask);
    try {
      await listening();
    } finally {
      expect(process.umask(before)).toBe(umask);
    }
    expect(lstatSync(path()).mode & 0o7777).toBe(0o600);
    expect(readdirSync(scratch.path)).toEqual(["s.sock"]);
    expect(await hears(path())).toBe("hello");
  });

  test("for other uids lies at 0666 in a 0711 directory, and not without native code", async () => {
    expect(await refusal({ shared: true, native: null })).toMatchObject({ code: "config.invalid" });
    expect(existsSync(path())).toBe(false);
    await listening({ shared: true });
    expect(lstatSync(path()).mode & 0o7777).toBe(0o666);
    expect(statSync(scratch.path).mode & 0o7777).toBe(0o711);
  });

  test("goes when it stops listening", async () => {
    (await listening()).stop();
    expect(readdirSync(scratch.path)).toEqual([]);
  });

  test("that somebody replaced is left alone when it stops", async () => {
    const first = await listening();
    unlinkSync(path());
    const server = createServer((socket) => socket.end("other"));
    servers.push(server);
    await new Promise<void>((settle) => server.listen(path(), settle));
    first.stop();
    expect(await hears(path())).toBe("other");
  });
});

describe("a name that is taken", () => {
  test("by a dead socket of ours is taken over", async () => {
    await deadSocket();
    expect(await hears(path())).toMatch(/ECONNREFUSED/);
    await listening();
    expect(await hears(path())).toBe("hello");
  });

  test("by a running daemon is refused, and that one goes on", async () => {
    await listening();
    expect(await refusal()).toMatchObject({ code: "config.invalid", message: expect.stringMatching(/a daemon that is running/) });
    expect(await hears(path())).toBe("hello");
  });

  test("by a file, a directory or a link is refused and left untouched", async () => {
    writeFileSync(path(), "precious");
    expect((await refusal()).code).toBe("config.invalid");
    expect(readFileSync(path(), "utf8")).toBe("precious");
    unlinkSync(path());

    writeFileSync(path("victim"), "precious");
    symlinkSync(path("victim"), path());
    expect((await refusal()).message).toMatch(/symbolic link/);
    expect(readFileSync(path("victim"), "utf8")).toBe("precious");
    unlinkSync(path());

    await deadSocket();
    renameSync(path(), path("dead"));
    symlinkSync(path("dead"), path());
    expect((await refusal()).message).toMatch(/symbolic link/);
    unlinkSync(path());

    mkdirSync(path());
    expect((await refusal()).code).toBe("config.invalid");
    expect(lstatSync(path()).isDirectory()).toBe(true);
  });

  test("by somebody else's dead socket is refused", async () => {
    await deadSocket();
    // Only root can give a file away; for others the same look at the owner is tested above.
    if (process.geteuid?.() !== 0) return;
    chownSync(path(), 12_345, 12_345);
    expect((await refusal()).message).toMatch(/uid 12345/);
    expect(lstatSync(path()).isSocket()).toBe(true);
  });

  test("of twenty that start at once one serves", async () => {
    await deadSocket();
    const results = await Promise.all(Array.from({ length: 20 }, () => listen()));
    expect(results.filter((result) => result.ok)).toHaveLength(1);
    expect(readdirSync(scratch.path)).toEqual(["s.sock"]);
    expect(await hears(path())).toBe("hello");
  });
});

describe("a place that will not do", () => {
  test("is a path longer than unix(7) allows; the longest that fits is taken whole", async () => {
    const room = SOCKET_PATH_BYTES_MAX - Buffer.byteLength(`${scratch.path}/`);
    expect(await refusal({ path: path("x".repeat(room + 1)) })).toMatchObject({
      code: "config.invalid",
      details: { bytes: SOCKET_PATH_BYTES_MAX + 1, limit: SOCKET_PATH_BYTES_MAX },
    });
    await listening({ path: path("x".repeat(room)) });
    expect(readdirSync(scratch.path)).toEqual(["x".repeat(room)]);
  });

  test("is a directory that others can write, one that is a link, and one that is not there", async () => {
    chmodSync(scratch.path, 0o777);
    expect((await refusal()).message).toMatch(/can be written by others/);
    chmodSync(scratch.path, 0o700);
    mkdirSync(path("real"), { mode: 0o700 });
    symlinkSync(path("real"), path("link"));
    expect((await refusal({ path: path("link/s") })).message).toMatch(/symbolic link/);
    expect((await refusal({ path: path("none/s") })).message).toMatch(/does not exist/);
    expect(readdirSync(path("real"))).toEqual([]);
  });
});
