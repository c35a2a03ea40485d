/** Reads a whole file of ours through one descriptor that follows no link, and only if nobody else could have had a hand in it. */
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { FILE_SETTLED_MS } from "../core/limits.ts";
import { errnoOf } from "./io-denial.ts";
import { faultOf } from "./ownership.ts";

export type SafeRead =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly version: FileVersion }
  | { readonly kind: "missing" }
  /** `what` completes "`path` …". */
  | { readonly kind: "refused"; readonly what: string; readonly remedy: string };

export interface SafeReadOptions {
  /** The uid we run as. */
  readonly uid: number;
  /** Whether others may not even read it. */
  readonly secret: boolean;
  readonly bytesMax: number;
}

export function readSafely(path: string, { uid, secret, bytesMax }: SafeReadOptions): SafeRead {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT") return { kind: "missing" };
    if (errno === "ELOOP") return { kind: "refused", what: "is a symbolic link", remedy: "put the file itself there" };
    return unreadable(error);
  }
  try {
    const lookedAtMs = Date.now();
    const stat = fstatSync(fd, { bigint: true });
    const fault = faultOf(fstatSync(fd), uid, { kind: "file", secret, mode: 0o600 });
    if (fault !== null) return { kind: "refused", what: fault.reason, remedy: fault.remedy };
    if (stat.size > bytesMax)
      return { kind: "refused", what: `has ${stat.size} bytes, and ${bytesMax} are the most`, remedy: "shorten it" };
    return { kind: "read", bytes: readFileSync(fd), version: { identity: identityOf(stat), ctimeMs: Number(stat.ctimeMs), lookedAtMs } };
  } catch (error) {
    return unreadable(error);
  } finally {
    closeSync(fd);
  }
}

function unreadable(error: unknown): SafeRead {
  return {
    kind: "refused",
    what: `cannot be read (${errnoOf(error) ?? "unknown error"})`,
    remedy: "check its owner and mode with `countersign doctor`",
  };
}

/** By which a file is known again without reading it. */
export interface FileVersion {
  readonly identity: string;
  readonly ctimeMs: number;
  readonly lookedAtMs: number;
}

/**
 * A file written twice within one tick of the kernel's clock can keep its times and its size. So a look that came right after the last
 * change does not count: until the file has settled it is read anew.
 */
export function isStill({ identity, ctimeMs, lookedAtMs }: FileVersion, path: string): boolean {
  if (lookedAtMs - ctimeMs < FILE_SETTLED_MS) return false;
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && identityOf(now) === identity;
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** `null` for bytes that are not UTF-8. */
export function utf8Of(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
