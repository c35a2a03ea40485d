/** Opens one file of a plan, hashes it, and keeps it so that what starts is what was hashed. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { baseName } from "../core/absolute-path.ts";
import type { Denial } from "../core/denial.ts";
import { EXECUTABLE_BYTES_MAX, SCRIPT_BYTES_MAX, SEALED_BYTES_TOTAL_MAX, SEALED_PROGRAM_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";
import { errnoOf } from "../store/io-denial.ts";
import { type FileSystem, fileSystemOf } from "./file-systems.ts";
import type { HashFailure } from "./hash-thread.ts";
import { type Hashing, isFailure } from "./hashing.ts";
import type { HeldFile, Kept } from "./held.ts";
import type { Leases } from "./leases.ts";
import type { Sight } from "./machine.ts";
import type { Need } from "./needs.ts";
import { ioRefusal, type Opened, openFile, refusal } from "./open-file.ts";

export interface Keeping {
  readonly native: Native | null;
  /** `null` where leases prove nothing. */
  readonly leases: Leases | null;
  readonly hashing: Hashing;
  /** Whether a file can be started by its descriptor. */
  readonly canPin: boolean;
  readonly sealed: SealedBytes;
}

/** How much lies in sealed copies, all runs together. */
export interface SealedBytes {
  reserve(bytes: number): boolean;
  free(bytes: number): void;
}

export function countSealedBytes(): SealedBytes {
  let total = 0;
  return {
    reserve(bytes) {
      if (total + bytes > SEALED_BYTES_TOTAL_MAX) return false;
      total += bytes;
      return true;
    },
    free(bytes) {
      total -= bytes;
    },
  };
}

/** Numbers that a child uses for itself stay below. */
export const DESCRIPTOR_FIRST = 100;

export async function keepFile(need: Need, sight: Sight, keeping: Keeping): Promise<Result<HeldFile, Denial>> {
  const opened = openFile(need, sight.walker.sawAt(need.path));
  if (!opened.ok) return opened;
  const { fd } = opened.value;
  let held: HeldFile | null = null;
  try {
    const kept = await keepOpened(need, opened.value, sight, keeping);
    if (kept.ok) held = kept.value;
    return kept;
  } catch (error) {
    return fail(ioRefusal(need, error));
  } finally {
    if (held?.fd !== fd) closeSync(fd);
  }
}

async function keepOpened(need: Need, opened: Opened, sight: Sight, keeping: Keeping): Promise<Result<HeldFile, Denial>> {
  const { stats, fd } = opened;
  if (!stats.isFile()) return fail(refusal(need, "is not a regular file; name one that is"));
  const lies = fileSystemOf(fd, need.path, stats.dev);
  if (lies === null || lies.isMadeUp) {
    return fail(refusal(need, "lies on a file system whose files are made up at each read; copy it to a disk"));
  }
  const owned = { mode: Number(stats.mode), uid: Number(stats.uid), gid: Number(stats.gid) };
  if (!sight.mayRead(`/proc/self/fd/${fd}`, owned)) return fail(ioRefusal(need, { code: "EACCES" }));
  if (stats.size > (need.isOperand ? SCRIPT_BYTES_MAX : EXECUTABLE_BYTES_MAX)) return fail(tooLarge(need, need.isOperand));
  const isRoots = !sight.byAnyone.changeable(need.path) && (need.isExact || !isScript(need, fd));
  if (isRoots) return keepAsItIs("permission", need, opened, keeping);
  const { native } = keeping;
  if (native === null) return keepAsItIs(keeping.canPin ? "descriptor" : "path", need, opened, keeping);
  const leased = need.isOperand ? null : await keepLeased(need, opened, lies, native, keeping);
  if (leased !== null) return leased;
  const sealed = stats.size <= SEALED_PROGRAM_BYTES_MAX ? await keepSealed(need, opened, native, keeping) : null;
  if (sealed !== null) return sealed;
  return isScript(need, fd) ? fail(tooLarge(need, true)) : keepAsItIs("descriptor", need, opened, keeping);
}

/** Programs of root's are known from their last run: nobody else could have changed them, and root's changes show in their times. */
async function keepAsItIs(kept: Kept, need: Need, opened: Opened, keeping: Keeping): Promise<Result<HeldFile, Denial>> {
  const sha256 = await keeping.hashing.hashOf(opened, kept === "permission" && !need.isOperand);
  if (isFailure(sha256)) return fail(notHashed(need, sha256));
  return ok({ path: need.path, fd: raised(opened.fd, keeping.native), sha256, bytes: Number(opened.stats.size), kept });
}

/** `null` when the lease is refused or broken, or lies on a script, whose interpreter would open it again: a copy is what remains. */
async function keepLeased(
  need: Need,
  opened: Opened,
  lies: FileSystem,
  native: Native,
  keeping: Keeping,
): Promise<Result<HeldFile, Denial> | null> {
  const { leases, hashing } = keeping;
  if (leases === null || !lies.leasesHold) return null;
  const fd = raised(opened.fd, native);
  let held: HeldFile | null = null;
  try {
    // Before anything is read, and before the times are: from here on nobody has it open or mapped for writing, and nobody can.
    if (!leases.take(fd) || isScript(need, fd)) return null;
    const stats = fstatSync(fd, { bigint: true });
    const sha256 = await hashing.hashOf({ fd, stats }, lies.timesTell);
    if (isFailure(sha256)) return sha256 === "changed" ? null : fail(notHashed(need, sha256));
    if (!leases.isWhole(fd)) return null;
    held = { path: need.path, fd, sha256, bytes: Number(stats.size), kept: "lease" };
    return ok(held);
  } finally {
    if (held === null) {
      leases.drop(fd);
      closeSync(fd);
    }
  }
}

/** `null` where the kernel lets no anonymous file be started, sysctl `vm.memfd_noexec`: then the program itself is what remains. */
async function keepSealed(
  need: Need,
  opened: Opened,
  native: Native,
  { hashing, sealed }: Keeping,
): Promise<Result<HeldFile, Denial> | null> {
  const bytes = Number(opened.stats.size);
  if (!sealed.reserve(bytes)) return fail(refusal(need, "cannot be copied while so much is held already; try again later", "overloaded"));
  let held: HeldFile | null = null;
  try {
    const found = await hashing.contentOf(opened);
    if (isFailure(found)) return fail(notHashed(need, found));
    const fd = sealedCopy(need, found.content, native);
    if (fd === null) return null;
    held = { path: need.path, fd, sha256: found.sha256, bytes, kept: "seal" };
    return ok(held);
  } finally {
    if (held === null) sealed.free(bytes);
  }
}

/** What an interpreter reads need not be startable, and then must not be. */
function sealedCopy(need: Need, content: Uint8Array, native: Native): number | null {
  const use = need.isOperand || hasMark(content) ? "data" : "program";
  const copy = anonymousFile(baseName(need.path).slice(0, SHOWN_NAME_CHARS), content, use, native);
  if (copy === null) return null;
  try {
    return native.duplicateFrom(copy, DESCRIPTOR_FIRST);
  } finally {
    closeSync(copy);
  }
}

function anonymousFile(name: string, content: Uint8Array, use: "data" | "program", native: Native): number | null {
  try {
    return native.sealedFile(name, content, use);
  } catch (error) {
    if (use === "program" && errnoOf(error) === "EACCES") return null;
    throw error;
  }
}

/** memfd_create(2) takes 249 bytes; the name is shown in /proc and means nothing else. */
const SHOWN_NAME_CHARS = 60;

function raised(fd: number, native: Native | null): number {
  return native === null ? fd : native.duplicateFrom(fd, DESCRIPTOR_FIRST);
}

function isScript({ isOperand }: Need, fd: number): boolean {
  const head = Buffer.alloc(2);
  return isOperand || (readSync(fd, head, 0, 2, 0) === 2 && hasMark(head));
}

/** `#!`, execve(2). */
function hasMark(content: Uint8Array): boolean {
  return content[0] === 0x23 && content[1] === 0x21;
}

function tooLarge(need: Need, script: boolean): Denial {
  const most = script ? SCRIPT_BYTES_MAX : EXECUTABLE_BYTES_MAX;
  return refusal(need, `holds more than the ${most} bytes that can be bound; name a smaller file`);
}

function notHashed(need: Need, failure: HashFailure): Denial {
  switch (failure) {
    case "changed":
      return refusal(need, "is being written to; try again when that is done");
    case "failed":
      return refusal(need, "could not be read to its end; look at the disk and the kernel log");
    case "full":
      return refusal(need, "has too many files before it that wait to be hashed; try again later", "overloaded");
  }
}
