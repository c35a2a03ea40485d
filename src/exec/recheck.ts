/** A second look at what could still have changed under us: right before a start, right after it, and at leisure. */
import { createHash } from "node:crypto";
import { createReadStream, fstatSync, readFileSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { quoted } from "../analysis/quoted.ts";
import { type Denial, denial } from "../core/denial.ts";
import { sha256Of } from "../core/sha256.ts";
import type { Native } from "../native/native.ts";
import type { HeldFile } from "./held.ts";
import type { Start, Watched } from "./start.ts";

export interface Recheck {
  /** At once, and cheap. */
  objectionTo(start: Start): Denial | null;
  /** Reads whole programs, so it may take its time. */
  lateObjectionTo(start: Start): Promise<Denial | null>;
}

export function createRecheck(native: Native | null): Recheck {
  function isAsItWas({ file, goesBy }: Watched): boolean {
    // Somebody asked to write to a program that was about to start. Whoever comes later meets ETXTBSY, or the lease.
    if (file.kept === "lease" && native?.holdsReadLease(file.fd) !== true) return false;
    return goesBy === null || (leadsTo(goesBy, file) && hasSameBytes(file));
  }

  return {
    objectionTo(start) {
      const changed = start.watched.find((watched) => !isAsItWas(watched));
      return changed === undefined ? null : changedDenial(changed.file);
    },
    async lateObjectionTo(start) {
      for (const { file } of start.watched) {
        if (file.kept === "descriptor" && (await digestOf(file.fd)) !== file.sha256) return changedDenial(file);
      }
      return null;
    },
  };
}

/** The bytes of a held file, if they are still those that were hashed. */
export function heldBytes(file: HeldFile): Uint8Array | null {
  const bytes = Buffer.allocUnsafe(fstatSync(file.fd).size);
  let at = 0;
  for (let count = -1; at < bytes.length && count !== 0; at += count) count = readSync(file.fd, bytes, at, bytes.length - at, at);
  const found = bytes.subarray(0, at);
  return file.kept === "seal" || sha256Of(found) === file.sha256 ? found : null;
}

export function changedDenial(file: HeldFile): Denial {
  return denial("exec.changed-after-start", `${quoted(file.path)} changed while it was being started; ask again`, { file: file.path });
}

/** A name without its ending is completed by the interpreter, and leads nowhere by itself. */
function leadsTo(goesBy: string, file: HeldFile): boolean {
  try {
    return realpathSync(goesBy) === file.path;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" && goesBy !== file.path;
  }
}

/** Unreadable counts as changed. */
function hasSameBytes(file: HeldFile): boolean {
  try {
    switch (file.kept) {
      case "permission":
        return true;
      case "lease":
      case "descriptor":
        return isSameFile(statSync(file.path), fstatSync(file.fd));
      case "seal":
      case "path":
        return sha256Of(readFileSync(file.path)) === file.sha256;
    }
  } catch {
    return false;
  }
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function digestOf(fd: number): Promise<string | null> {
  return new Promise((resolve) => {
    const hash = createHash("sha256");
    createReadStream("", { fd, start: 0, autoClose: false })
      .on("data", (chunk) => hash.update(chunk))
      .on("error", () => resolve(null))
      .on("end", () => resolve(hash.digest("hex")));
  });
}
