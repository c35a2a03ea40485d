/** Files and pipes without native code: made in the state directory, which nobody else can enter, and nameless as soon as they are open. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SystemError } from "../native/system-error.ts";
import type { Pipe } from "./run-streams.ts";

/** Open for reading, from the first byte on. */
export function privateFile(directory: string, bytes: Uint8Array): number {
  const path = join(directory, `.private-${randomUUID()}`);
  writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
  try {
    return openSync(path, "r");
  } finally {
    unlinkSync(path);
  }
}

/** A FIFO is a kernel pipe with a name, fifo(7); Node itself has only socket pairs, and bash takes a socket as stdin for a remote login. */
export function privatePipe(directory: string): Pipe {
  const path = join(directory, `.private-${randomUUID()}`);
  if (spawnSync("mkfifo", ["-m", "600", path], { stdio: "ignore" }).status !== 0) throw new SystemError("mkfifo", 0);
  // Opening one end waits for the other, so the first reader must not wait; but a child's own end must, once it is there.
  const impatient = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeEnd = openSync(path, constants.O_WRONLY);
    try {
      return { writeEnd, readEnd: openSync(path, constants.O_RDONLY) };
    } catch (error) {
      closeSync(writeEnd);
      throw error;
    }
  } finally {
    closeSync(impatient);
    unlinkSync(path);
  }
}
