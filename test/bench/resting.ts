/** What the daemon costs before anybody asks it anything, and when somebody asks and does not listen. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startTestDaemon } from "../support/daemon.ts";
import { isAlive, memoryOf, until, workingIn } from "../support/processes.ts";
import { MAIN } from "../support/program.ts";
import { rawClient } from "../support/raw-client.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { attachOperator } from "../support/session.ts";
import { atMost, type Finding, median } from "./numbers.ts";

const ROUNDS = 9;
const MB = 1024 * 1024;

export async function measureResting(): Promise<readonly Finding[]> {
  return [await coldStart(), await idleMemory(), await unreadFlood()];
}

async function coldStart(): Promise<Finding> {
  const scratch = scratchDirectory();
  const stateDir = join(scratch.path, "state");
  const ours: number[] = [];
  const empty: number[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const begun = performance.now();
      spawnSync(process.execPath, ["-e", "0"]);
      const node = performance.now() - begun;
      const listening = await untilListening(stateDir, scratch.path);
      // The first start makes the state directory, and reads everything from a cold disk.
      if (round === 0) continue;
      empty.push(node);
      ours.push(listening);
    }
  } finally {
    scratch.remove();
  }
  const ratio = median(ours) / median(empty);
  return atMost(
    "cold start to listening ÷ `node -e 0`",
    ratio,
    2.5,
    "×",
    `${median(ours).toFixed(0)} ms against ${median(empty).toFixed(0)} ms`,
  );
}

async function untilListening(stateDir: string, home: string): Promise<number> {
  const asRoot = process.getuid?.() === 0 ? ["--allow-root"] : [];
  const begun = performance.now();
  const child = spawn(process.execPath, [MAIN, "daemon", "--state-dir", stateDir, ...asRoot], {
    env: { PATH: "/usr/bin:/bin", HOME: home },
    stdio: "ignore",
  });
  const socketPath = join(stateDir, "exec-approvals.sock");
  while (!(await accepts(socketPath))) {
    if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
    await sleep(1);
  }
  const took = performance.now() - begun;
  child.kill("SIGTERM");
  await once(child, "close");
  return took;
}

function accepts(path: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = createConnection(path);
    const done = (yes: boolean): void => {
      socket.destroy();
      settle(yes);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}

async function idleMemory(): Promise<Finding> {
  const daemon = await startTestDaemon();
  await sleep(2000);
  const bytes = memoryOf(daemon.process.pid ?? 0);
  await daemon.stop();
  return atMost("resident memory at rest", bytes / MB, 90, "MB", "two seconds after the start");
}

/** The child waits for its reader, the daemon does not grow, and the run can still be ended. */
async function unreadFlood(): Promise<Finding> {
  const scratch = scratchDirectory();
  const daemon = await startTestDaemon({ document: { version: 1, defaults: { security: "full", ask: "off" } } });
  try {
    const operator = await attachOperator(daemon);
    const client = await rawClient(daemon.socketPath);
    await client.authenticate(daemon.gatewayToken);
    client.socket.pause();
    client.call(1, "system.run", {
      argv: ["/usr/bin/head", "-c", String(1024 * MB), "/dev/zero"],
      cwd: scratch.path,
      stream: true,
      timeoutMs: 60_000,
    });
    await sleep(3000);
    const [child] = workingIn(scratch.path);
    if (child === undefined || !isAlive(child)) throw new Error("the child did not wait for its reader");
    const stalled = writtenBy(child);
    await sleep(500);
    if (writtenBy(child) !== stalled) throw new Error("the child goes on writing");
    const { records } = await operator.must("audit.tail", { limit: 5 });
    const runId = /"type":"run.starting","runId":"([^"]+)"|"runId":"([^"]+)"/.exec(JSON.stringify(records));
    await operator.must("system.run.cancel", { runId: runId?.[1] ?? runId?.[2] ?? "" });
    if (!(await until(() => workingIn(scratch.path).length === 0, 2000))) throw new Error("the cancel left something behind");
    const bytes = memoryOf(daemon.process.pid ?? 0, "VmHWM");
    client.close();
    operator.close();
    return atMost(
      "memory under 1 GB that nobody reads",
      bytes / MB,
      150,
      "MB",
      `${(stalled / MB).toFixed(1)} MB were written, then the child waited; cancelled`,
    );
  } finally {
    await daemon.stop();
    scratch.remove();
  }
}

function writtenBy(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? "0");
}
