import type { Evidence } from "../binding/evidence.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Sha256 } from "../core/sha256.ts";

/** What stands behind a piece of evidence: the open descriptors. hold() makes it, launch() starts from it, release() closes it. */
export interface Held {
  /** By canonical path: where the command starts, and where each part of a chain does. */
  readonly directories: ReadonlyMap<AbsolutePath, HeldDirectory>;
  /** By canonical path: executables, nested executables and operand files alike. */
  readonly files: ReadonlyMap<AbsolutePath, HeldFile>;
}

export interface HeldDirectory {
  readonly path: AbsolutePath;
  readonly fd: number;
}

export interface HeldFile {
  readonly path: AbsolutePath;
  /** 100 or above with native code: a child's own numbers never collide with it. The hash was taken from this very descriptor. */
  readonly fd: number;
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly kept: Kept;
}

/**
 * Why the bytes that start are the bytes that were hashed.
 * `permission`: root alone can change the file along its whole path, and where the command's own names for it lead, so it goes by those.
 * `seal`: `fd` is a sealed copy. `lease`: a read lease lies on `fd`; a writer waits until it is dropped.
 * `descriptor`: only pinned; a write in place shows in a second hash after the start. `path`: only checked.
 */
export type Kept = "permission" | "seal" | "lease" | "descriptor" | "path";

const held = new WeakMap<Evidence, Held>();

export function remember(evidence: Evidence, what: Held): void {
  held.set(evidence, what);
}

export function forget(evidence: Evidence): Held | undefined {
  const what = held.get(evidence);
  held.delete(evidence);
  return what;
}

export function heldBehind(evidence: Evidence): Held | undefined {
  return held.get(evidence);
}
