/**
 * Holds a lock without native code: flock(1) takes it and waits on a pipe from us. When we end, however we end, the pipe closes, it goes,
 * and the kernel lets go of the lock.
 */
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { LockChild } from "../store/instance-lock.ts";

const TAKEN = 75;

export const lockByChild: LockChild = (path) =>
  new Promise((settle) => {
    const words = ["--nonblock", "--conflict-exit-code", String(TAKEN), path, "/bin/sh", "-c", "echo held; exec cat"];
    const child = spawn("flock", words, { stdio: ["pipe", "pipe", "ignore"], env: { PATH: "/usr/bin:/bin" }, detached: true });
    child.once("error", () => settle("absent"));
    child.once("exit", (code) => settle(code === TAKEN ? "taken" : "absent"));
    child.stdout.once("data", () => {
      child.unref();
      // The pipe is what holds it; neither end of it may keep the daemon alive.
      for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
      settle({ release: () => child.kill("SIGKILL") });
    });
  });
