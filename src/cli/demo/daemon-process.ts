/** A real daemon in a process of its own, as `countersign daemon` starts one, for as long as a scene needs it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isCallError } from "../../client/call-error.ts";
import { type Client, connect } from "../../client/client.ts";
import { findDaemon } from "../../client/credential.ts";
import type { Role } from "../../client/proof.ts";
import { DEMO_DAEMON_READY_WITHIN_MS } from "../../core/limits.ts";
import type { Stage } from "./stage.ts";

/** The very program that plays this scene. */
const MAIN = realpathSync(process.argv[1] ?? "");

export interface DaemonProcess {
  connect(role: Role): Promise<Client>;
  /** SIGTERM, and waits until it is gone. */
  stop(): Promise<void>;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
}

export async function startDaemon(stage: Stage, more: { readonly holdAfterConsumption: boolean }): Promise<DaemonProcess> {
  const asRoot = process.geteuid?.() === 0 ? ["--allow-root"] : [];
  const child = spawn(process.execPath, [MAIN, "daemon", "--state-dir", stage.stateDir, ...asRoot], {
    cwd: stage.home,
    env: {
      HOME: stage.home,
      USER: "demo",
      LANG: "C.UTF-8",
      PATH: `${stage.earlyBin}:${stage.lateBin}:/usr/local/bin:/usr/bin:/bin`,
      ...(more.holdAfterConsumption ? { COUNTERSIGN_TEST_HOLD_AFTER_CONSUMPTION: stage.heldMark } : {}),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  // A second Ctrl-C ends this process at once; the daemon must not outlive it.
  const killOnExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killOnExit);
  child.once("exit", () => process.removeListener("exit", killOnExit));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-4096);
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (isGone(child)) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  const daemon: DaemonProcess = {
    connect: (role) => connectTo(stage, role),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
  try {
    await ready(daemon, child, () => said);
    return daemon;
  } catch (error) {
    await daemon.kill();
    throw error;
  }
}

async function connectTo(stage: Stage, role: Role): Promise<Client> {
  const { socketPath, credential } = findDaemon({ stateDir: stage.stateDir, socketPath: null }, role, undefined, { HOME: stage.home });
  return connect({ socketPath, role, token: credential?.token ?? "" });
}

async function ready(daemon: DaemonProcess, child: ChildProcess, said: () => string): Promise<void> {
  for (const deadline = Date.now() + DEMO_DAEMON_READY_WITHIN_MS; Date.now() < deadline; await sleep(20)) {
    if (isGone(child)) throw new Error(`the daemon did not start: ${said()}`);
    try {
      (await daemon.connect("operator")).close();
      return;
    } catch (error) {
      if (!isCallError(error)) throw error;
    }
  }
  throw new Error(`the daemon was not ready in time: ${said()}`);
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
