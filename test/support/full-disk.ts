/**
 * A disk that fills up on demand: a small tmpfs of its own where we may mount one, else RLIMIT_FSIZE, setrlimit(2), which stops every write
 * of the daemon's beyond a few bytes. Node ignores SIGXFSZ, so both arrive as errors of write(2).
 */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "./scratch.ts";

export interface SmallDisk {
  readonly kind: "tmpfs" | "RLIMIT_FSIZE";
  /** Lies on the small disk. */
  readonly stateDir: string;
  /** From now on nothing more fits. */
  fill(daemonPid: number): void;
  relieve(daemonPid: number): void;
  remove(): void;
}

export const CAN_LIMIT = spawnSync("prlimit", ["--version"]).status === 0;

/** What can be had here: as root both, else the limit alone. */
export const DISK_KINDS: readonly SmallDisk["kind"][] = process.getuid?.() === 0 ? ["tmpfs", "RLIMIT_FSIZE"] : ["RLIMIT_FSIZE"];

export function smallDisk(wanted: SmallDisk["kind"] = "tmpfs"): SmallDisk {
  const scratch = scratchDirectory();
  const mounted = join(scratch.path, "disk");
  mkdirSync(mounted);
  const isMounted = wanted === "tmpfs" && spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", mounted]).status === 0;
  const stateDir = join(mounted, "state");
  mkdirSync(stateDir, { mode: 0o700 });
  const ballast = join(mounted, "ballast");
  const limit = (pid: number, bytes: string): void => {
    const set = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`], { encoding: "utf8" });
    if (set.status !== 0) throw new Error(`prlimit: ${set.stderr}`);
  };
  return {
    kind: isMounted ? "tmpfs" : "RLIMIT_FSIZE",
    stateDir,
    fill: (pid) => (isMounted ? fillWith(ballast) : limit(pid, "16")),
    relieve: (pid) => (isMounted ? rmSync(ballast) : limit(pid, "unlimited")),
    remove: () => {
      if (isMounted) spawnSync("umount", ["-l", mounted]);
      scratch.remove();
    },
  };
}

function fillWith(path: string): void {
  const fd = openSync(path, "w");
  try {
    for (let bytes = 64 * 1024; bytes >= 1; ) {
      try {
        writeSync(fd, Buffer.alloc(bytes));
      } catch {
        bytes = Math.floor(bytes / 2);
      }
    }
  } finally {
    closeSync(fd);
  }
}
