import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { admitPeer, mayBeOperator, type Peer } from "../../src/auth/peer.ts";
import { fdOf } from "../../src/daemon/socket-fd.ts";
import { loadNative } from "../../src/native/libc.ts";
import type { Native } from "../../src/native/native.ts";
import { scratchDirectory } from "../support/scratch.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process of the test's own that only waits, once its new environment is to be seen. */
async function waiting(environment: Record<string, string>): Promise<number> {
  const child = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"] ?? "", READY: "1", ...environment }, stdio: "ignore" });
  children.push(child);
  const { pid } = child;
  if (pid === undefined) throw new Error("sleep did not start");
  for (let tries = 0; tries < 400 && !readFileSync(`/proc/${pid}/environ`, "latin1").includes("READY=1"); tries += 1) await sleep(5);
  return pid;
}

const peerWith = (pid: number | null): Peer => ({ pid, uid: process.geteuid?.() ?? null, gid: 0, exe: null });
/** Nobody's ancestor. */
const ANOTHER_DAEMON = 2 ** 22;

describe("the operator's role", () => {
  test("is not for what the daemon started", async () => {
    const pid = await waiting({});
    expect(mayBeOperator(peerWith(pid), process.pid)).toMatchObject({ ok: false, failure: { code: "auth.forbidden" } });
    expect(mayBeOperator(peerWith(process.pid), process.ppid)).toMatchObject({ ok: false });
  });

  test("is not for what carries a run's marker, wherever it comes from", async () => {
    expect(mayBeOperator(peerWith(await waiting({ COUNTERSIGN_RUN: "r1" })), ANOTHER_DAEMON)).toMatchObject({ ok: false });
    expect(mayBeOperator(peerWith(await waiting({ COUNTERSIGN_RUN: "" })), ANOTHER_DAEMON)).toMatchObject({ ok: false });
    expect(mayBeOperator(peerWith(await waiting({ NOT_COUNTERSIGN_RUN: "x", A: "COUNTERSIGN_RUN=x" })), ANOTHER_DAEMON).ok).toBe(true);
  });

  test("is for anybody else, for peers that cannot be seen from here, and never for one that has ended", async () => {
    for (const pid of [null, 0, process.pid, await waiting({})])
      expect(mayBeOperator(peerWith(pid), pid === process.pid ? pid : ANOTHER_DAEMON).ok).toBe(true);
    expect(mayBeOperator(peerWith(2 ** 22 - 1), ANOTHER_DAEMON)).toMatchObject({ ok: false });
  });
});

describe("a peer", () => {
  async function accepted(): Promise<{ near: Socket; end: () => void }> {
    const scratch = scratchDirectory();
    const server = createServer();
    await new Promise<void>((settle) => server.listen(join(scratch.path, "s"), settle));
    const near = new Promise<Socket>((settle) => server.once("connection", settle));
    const far = createConnection(join(scratch.path, "s"));
    return {
      near: await near,
      end: () => {
        far.destroy();
        server.close();
        scratch.remove();
      },
    };
  }

  test("of our own uid is admitted and known", async () => {
    const { near, end } = await accepted();
    expect(admitPeer(loadNative(), fdOf(near), [])).toMatchObject({
      ok: true,
      value: { pid: process.pid, uid: process.geteuid?.(), exe: process.execPath },
    });
    near.destroy();
    expect(admitPeer(loadNative(), fdOf(near), [])).toMatchObject({ ok: false, failure: { code: "auth.peer-refused" } });
    end();
  });

  test("of another uid is refused unless it is listed; without native code nobody can be told apart", async () => {
    const native = loadNative();
    if (native === null) throw new Error("this test needs native code");
    const stranger: Native = { ...native, peerCredentials: () => ({ pid: 1, uid: 12_345, gid: 1 }) };
    expect(admitPeer(stranger, 3, [])).toMatchObject({ ok: false, failure: { code: "auth.peer-refused", details: { uid: 12_345 } } });
    expect(admitPeer(stranger, 3, [12_345])).toMatchObject({ ok: true, value: { uid: 12_345 } });
    expect(admitPeer({ ...native, peerCredentials: () => ({ pid: 1, uid: 0, gid: 0 }) }, 3, []).ok).toBe(true);
    expect(admitPeer(null, 3, [])).toMatchObject({ ok: true, value: { pid: null, uid: null } });
  });
});
