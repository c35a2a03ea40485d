/** What this machine really does, tried on decoys at every start: a level is claimed only for what was seen to hold. */
import { randomUUID } from "node:crypto";
import { closeSync, constants, copyFileSync, openSync, readlinkSync, realpathSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Native } from "../native/native.ts";

export interface Probed {
  /** Bytes in a sealed file stay as they are. */
  readonly seals: boolean;
  /** A program starts by its descriptor, in a directory given by descriptor. */
  readonly spawns: boolean;
  /** A writer is held up by a lease until the program runs, and by the kernel from then on. */
  readonly leasesHold: boolean;
}

const DECOY_BURIED_WITHIN_MS = 1000;
const NOTHING: Probed = { seals: false, spawns: false, leasesHold: false };

/** A few milliseconds, because nothing is accepted before it is done. `directory` must be ours alone. */
export function probe(native: Native, directory: string): Probed {
  // A broken lease is told by SIGIO, whose default would end us, fcntl(2). Never taken back: one may still be on its way.
  if (!process.listeners("SIGIO").includes(ignoreSignal)) process.on("SIGIO", ignoreSignal);
  try {
    return { ...tryDecoy(native, directory), seals: trySeal(native) };
  } catch {
    // No shell to copy, no room, no leave: whatever could not be tried is not claimed.
    return NOTHING;
  }
}

function ignoreSignal(): void {
  // leases.ts looks at its leases by itself.
}

function trySeal(native: Native): boolean {
  const fd = native.sealedFile("decoy", Buffer.from("sealed"), "data");
  try {
    writeSync(fd, "broken", 0);
    return false;
  } catch {
    return true;
  } finally {
    closeSync(fd);
  }
}

/** A copy of the shell: small, always there, and it waits on its input until it is told to go. */
function tryDecoy(native: Native, directory: string): Omit<Probed, "seals"> {
  const path = join(directory, `.decoy-${randomUUID()}`);
  copyFileSync(realpathSync("/bin/sh"), path, constants.COPYFILE_EXCL);
  const opened: number[] = [];
  const high = (fd: number): number => {
    const raised = native.duplicateFrom(fd, 100);
    closeSync(fd);
    opened.push(raised);
    return raised;
  };
  try {
    const program = high(openSync(path, "r"));
    const cwd = high(openSync(directory, "r"));
    const { readEnd, writeEnd } = native.pipe();
    opened.push(readEnd, writeEnd);
    const isLeased = native.takeReadLease(program) && isHeldUp(path, "EAGAIN");
    // The attempt was refused and took the lease's word; a fresh one covers the start.
    native.dropLease(program);
    const started = native.spawn({
      file: `/proc/self/fd/${program}`,
      argv: ["sh", "-c", "read line"],
      environment: [],
      cwdFd: cwd,
      descriptors: [{ ours: high(native.duplicateFrom(readEnd, 100)), childs: 0 }],
    });
    if (!("pid" in started)) return { spawns: false, leasesHold: false };
    try {
      const spawns = linkOf(started.pid, "exe") === realpathSync(path) && linkOf(started.pid, "cwd") === realpathSync(directory);
      return { spawns, leasesHold: isLeased && isHeldUp(path, "ETXTBSY") };
    } finally {
      process.kill(started.pid, "SIGKILL");
      bury(native, started.pid);
    }
  } finally {
    for (const fd of opened) closeSync(fd);
    unlinkSync(path);
  }
}

/** It was killed, so this is a matter of microseconds, or of the next time the scheduler comes by. */
function bury(native: Native, pid: number): void {
  const until = performance.now() + DECOY_BURIED_WITHIN_MS;
  while (native.reap(pid) === null && performance.now() < until);
}

function isHeldUp(path: string, code: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === code;
  }
}

function linkOf(pid: number, name: "exe" | "cwd"): string {
  return readlinkSync(`/proc/${pid}/${name}`);
}
