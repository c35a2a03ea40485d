/** A second look at what could still have changed under us: right before a start, right after it, and at leisure. */
import { createHash } from "node:crypto";
import { createReadStream, fstatSync, readFileSync, readSync, realpathSync } from "node:fs";
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
    if (goesBy !== null) return hasSameBytes(goesBy, file);
    // Somebody asked to write to a program that was about to start. Whoever comes later meets ETXTBSY, or the lease.
    return file.kept !== "lease" || native === null || native.holdsReadLease(file.fd);
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

/** `goesBy` must still lead to the same file, and that to the same bytes. Unreadable counts as changed. */
function hasSameBytes(goesBy: string, file: HeldFile): boolean {
  try {
    return realpathSync(goesBy) === file.path && sha256Of(readFileSync(file.path)) === file.sha256;
  } catch {
    return false;
  }
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
