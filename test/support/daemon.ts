/** A real daemon, `countersign daemon`, in a scratch directory with a scratch home; stop() leaves no process and no file. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { MAIN } from "./program.ts";
import { scratchDirectory } from "./scratch.ts";

export interface TestDaemonOptions {
  /** Written as `exec-approvals.json` before the start. */
  readonly document?: JsonObject;
  /** Written as `countersign.json5` before the start. */
  readonly settings?: JsonObject;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A directory of an earlier daemon, for a second start on the same state. It is then not removed by stop(). */
  readonly stateDir?: string;
}

export interface TestDaemon {
  readonly stateDir: string;
  readonly home: string;
  readonly socketPath: string;
  readonly gatewayToken: string;
  readonly operatorToken: string;
  readonly process: ChildProcess;
  /** SIGTERM, then SIGKILL after five seconds; then the directory goes. */
  stop(): Promise<void>;
  /** SIGKILL, and nothing else: the state stays for the next start. */
  kill(): Promise<void>;
  logs(): string;
}

const START_WITHIN_MS = 15_000;

/** Every daemon that a test forgot, ended with the test process. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const scratch = options.stateDir === undefined ? scratchDirectory() : null;
  const stateDir = options.stateDir ?? join(scratch?.path ?? "", "state");
  const home = join(stateDir, "../home");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (options.document !== undefined) writeSecret(join(stateDir, "exec-approvals.json"), options.document);
  if (options.settings !== undefined) writeSecret(join(stateDir, "countersign.json5"), options.settings);

  const asRoot = process.getuid?.() === 0 ? ["--allow-root"] : [];
  const child = spawn(process.execPath, [MAIN, "daemon", "--state-dir", stateDir, ...asRoot, ...(options.args ?? [])], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, USER: "tester", LANG: "C.UTF-8", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  alive.add(child);
  let log = "";
  child.stdout.on("data", (chunk: Buffer) => {
    log += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString("utf8");
  });
  const gone = new Promise<void>((resolve) => {
    child.once("close", () => {
      alive.delete(child);
      resolve();
    });
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await gone;
    clearTimeout(timer);
  };

  try {
    const { socketPath, gatewayToken } = await listening(child, stateDir, () => log);
    const operatorToken = readFileSync(join(stateDir, "operator.token"), "utf8").trim();
    const stop = async (): Promise<void> => {
      await end("SIGTERM");
      scratch?.remove();
    };
    return {
      stateDir,
      home,
      socketPath,
      gatewayToken,
      operatorToken,
      process: child,
      stop,
      kill: async () => end("SIGKILL"),
      logs: () => log,
    };
  } catch (error) {
    await end("SIGKILL");
    scratch?.remove();
    throw error;
  }
}

async function listening(child: ChildProcess, stateDir: string, log: () => string): Promise<{ socketPath: string; gatewayToken: string }> {
  for (const deadline = Date.now() + START_WITHIN_MS; Date.now() < deadline; await sleep(10)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the daemon ended with ${child.exitCode}:\n${log()}`);
    const socket = readSocketSection(join(stateDir, "exec-approvals.json"));
    if (socket !== null && (await accepts(socket.socketPath))) return socket;
  }
  throw new Error(`the daemon did not listen within ${START_WITHIN_MS} ms:\n${log()}`);
}

function readSocketSection(path: string): { socketPath: string; gatewayToken: string } | null {
  try {
    const document: unknown = JSON.parse(readFileSync(path, "utf8"));
    const socket = isJsonObject(document) ? document["socket"] : undefined;
    if (!isJsonObject(socket) || typeof socket["path"] !== "string" || typeof socket["token"] !== "string") return null;
    return { socketPath: socket["path"], gatewayToken: socket["token"] };
  } catch {
    return null;
  }
}

async function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path: socketPath });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function writeSecret(path: string, value: JsonObject): void {
  writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
}
