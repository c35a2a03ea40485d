import { execFileSync } from "node:child_process";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadNative } from "../../src/native/libc.ts";
import type { Native } from "../../src/native/native.ts";

function native(): Native {
  const loaded = loadNative();
  if (loaded === null) throw new Error("this machine has no native code: install koffi, or expect the pinned level");
  return loaded;
}

let scratch = "";
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "countersign-native-"));
});
afterAll(() => rmSync(scratch, { recursive: true }));

function handleFd(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, "_handle");
  const fd: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : null;
  if (typeof fd !== "number") throw new Error("a connected socket has a descriptor");
  return fd;
}

async function pair(): Promise<{ server: Server; near: Socket; far: Socket }> {
  const path = join(scratch, `s${Math.random()}`);
  const server = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const far = createConnection({ path, allowHalfOpen: true });
  return { server, near: await accepted, far };
}

describe("native code", () => {
  test("COUNTERSIGN_NATIVE=off forces the level down", () => {
    process.env["COUNTERSIGN_NATIVE"] = "off";
    try {
      expect(loadNative()).toBeNull();
    } finally {
      delete process.env["COUNTERSIGN_NATIVE"];
    }
    expect(loadNative()).not.toBeNull();
  });

  test("a peer on a socket is known by pid, uid and gid, and a plain file has none", async () => {
    const { server, near, far } = await pair();
    expect(native().peerCredentials(handleFd(near))).toEqual({ pid: process.pid, uid: process.getuid?.(), gid: process.getgid?.() });
    const file = openSync("/dev/null", "r");
    expect(native().peerCredentials(file)).toBeNull();
    closeSync(file);
    near.destroy();
    far.destroy();
    server.close();
  });

  test("a mark goes with whatever is started meanwhile, into another session and environment, and not with what comes after", () => {
    const limit = (): string => {
      const [, soft = ""] =
        /^Max file locks +(\S+)/m.exec(execFileSync("setsid", ["-w", "env", "-i", "cat", "/proc/self/limits"], { encoding: "utf8" })) ?? [];
      return soft;
    };
    const before = limit();
    const unmark = native().wear(2 ** 47 - 1);
    expect(limit()).toBe(String(2 ** 47 - 1));
    unmark();
    expect(limit()).toBe(before);
  });

  test("a half-close is not a hang-up, a full close is", async () => {
    const { server, near, far } = await pair();
    near.resume();
    const ended = new Promise((resolve) => near.once("end", resolve));
    far.end();
    await ended;
    expect(native().hasHungUp(handleFd(near))).toBe(false);
    const closed = new Promise((resolve) => far.once("close", resolve));
    far.destroy();
    await closed;
    expect(native().hasHungUp(handleFd(near))).toBe(true);
    near.destroy();
    server.close();
  });

  test("of two descriptors for one lock file only one holds it, until it is closed", () => {
    const path = join(scratch, "lock");
    const first = openSync(path, "w");
    const second = openSync(path, "w");
    expect(native().lockExclusively(first)).toBe(true);
    expect(native().lockExclusively(second)).toBe(false);
    closeSync(first);
    expect(native().lockExclusively(second)).toBe(true);
    closeSync(second);
    expect(() => native().lockExclusively(second)).toThrow("EBADF");
  });

  test("a sealed file holds its bytes from the first on and cannot be written, cut or grown", () => {
    const bytes = Buffer.from("echo sealed\n");
    const fd = native().sealedFile("script", bytes, "data");
    const found = Buffer.alloc(100);
    expect(found.subarray(0, readSync(fd, found, 0, 100, null)).toString()).toBe("echo sealed\n");
    expect(() => writeSync(fd, "evil", 0)).toThrow("EPERM");
    expect(() => openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_TRUNC)).toThrow();
    expect(fstatSync(fd).size).toBe(bytes.length);
    closeSync(fd);
  });

  test("a read lease is refused while the file is open for writing, and told broken when somebody asks to write", () => {
    const path = join(scratch, "leased");
    writeFileSync(path, "x");
    const onSigio = (): void => undefined; // Its default would end this process, fcntl(2).
    process.on("SIGIO", onSigio);
    const reader = openSync(path, "r");
    const writer = openSync(path, "r+");
    expect(native().takeReadLease(reader)).toBe(false);
    closeSync(writer);
    expect(native().takeReadLease(reader)).toBe(true);
    expect(native().holdsReadLease(reader)).toBe(true);
    expect(() => openSync(path, constants.O_RDWR | constants.O_NONBLOCK)).toThrow("EAGAIN");
    expect(native().holdsReadLease(reader)).toBe(false);
    native().dropLease(reader);
    closeSync(openSync(path, "r+"));
    closeSync(reader);
    process.off("SIGIO", onSigio);
  });

  test("a spawned child has the argv, environment, directory and descriptors it was given and no others", async () => {
    // Whatever started this test may have left descriptors open without O_CLOEXEC, as a service manager's activation sockets are.
    expect(native().closeOnExecFrom(3)).toBe(true);
    const { readEnd, writeEnd } = native().pipe();
    const cwdFd = native().duplicateFrom(openSync(scratch, "r"), 100);
    const high = native().duplicateFrom(writeEnd, 100);
    const nothing = native().duplicateFrom(openSync("/dev/null", "r"), 100);
    const started = native().spawn({
      file: "/bin/sh",
      argv: ["sh", "-c", 'pwd; echo "$A|$1"; ls /proc/self/fd; grep SigIgn /proc/self/status; ulimit -c >/dev/null', "sh", "ü b"],
      environment: ["A=ä", "PATH=/usr/bin:/bin"],
      cwdFd,
      descriptors: [
        { ours: nothing, childs: 0 },
        { ours: high, childs: 1 },
        { ours: high, childs: 2 },
      ],
    });
    if (!("pid" in started)) throw new Error(`spawn gave errno ${started.errno}`);
    closeSync(writeEnd);
    closeSync(high);
    let text = "";
    for (const chunk = Buffer.alloc(4096); ; ) {
      const count = readSync(readEnd, chunk);
      if (count === 0) break;
      text += chunk.subarray(0, count).toString();
    }
    while (native().reap(started.pid) === null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(native().reap(started.pid)).toBe("gone");
    for (const fd of [readEnd, cwdFd, nothing]) closeSync(fd);
    // 3 is the directory that ls itself is reading.
    expect(text).toBe(`${scratch}\nä|ü b\n0\n1\n2\n3\nSigIgn:\t0000000000000000\n`);
  });

  test("what cannot be started is an errno, and a signal's number is kept", async () => {
    const cwdFd = openSync("/", "r");
    const start = (file: string, ...argv: readonly string[]) => native().spawn({ file, argv, environment: [], cwdFd, descriptors: [] });
    expect(start(join(scratch, "absent"), "absent")).toEqual({ errno: 2 });
    const started = start("/bin/sh", "sh", "-c", "kill -9 $$");
    if (!("pid" in started)) throw new Error("sh did not start");
    let status = native().reap(started.pid);
    for (; status === null; status = native().reap(started.pid)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(status).toEqual({ exitCode: null, signal: 9 });
    closeSync(cwdFd);
  });

  test("an ended child can be peeked at and stays to be reaped", async () => {
    const cwdFd = openSync("/", "r");
    const started = native().spawn({ file: "/bin/true", argv: ["true"], environment: [], cwdFd, descriptors: [] });
    closeSync(cwdFd);
    if (!("pid" in started)) throw new Error("true did not start");
    while (native().endedChild() === null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(native().endedChild()).toBe(started.pid);
    expect(native().reap(started.pid)).toEqual({ exitCode: 0, signal: null });
    expect(native().endedChild()).toBeNull();
  });

  test("the descriptor limit is read as the kernel tells it", () => {
    const row = readFileSync("/proc/self/limits", "utf8")
      .split("\n")
      .find((line) => line.startsWith("Max open files"));
    const [soft, hard] = (row ?? "").slice("Max open files".length).trim().split(/\s+/);
    expect(native().descriptorLimit()).toEqual({ soft: Number(soft), hard: Number(hard) });
  });

  test("a megabyte of arguments is handed over whole", async () => {
    const cwdFd = openSync("/", "r");
    const words = Array.from({ length: 10 }, () => "x".repeat(100_000));
    const script = "for w; do test ${#w} = 100000 || exit 3; done; exit $#";
    const started = native().spawn({
      file: "/bin/sh",
      argv: ["sh", "-c", script, "sh", ...words],
      environment: [],
      cwdFd,
      descriptors: [],
    });
    closeSync(cwdFd);
    if (!("pid" in started)) throw new Error(`errno ${started.errno}`);
    let status = native().reap(started.pid);
    for (; status === null; status = native().reap(started.pid)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(status).toEqual({ exitCode: 10, signal: null });
  });
});
