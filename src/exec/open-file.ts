/** Opens what a plan names, and makes sure that what was opened is what was planned. */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { quoted } from "../analysis/quoted.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Code } from "../core/codes.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { errnoOf } from "../store/io-denial.ts";
import type { Seen } from "./seen.ts";

export interface Opened {
  readonly fd: number;
  readonly stats: BigIntStats;
}

/** Where in the plan a path stands: `executable`, `nested[0]`, `files[1]`, `cwd`. */
export interface Named {
  readonly path: AbsolutePath;
  readonly field: string;
}

// O_NONBLOCK: a FIFO put there a moment ago must not make us wait. O_NOCTTY: a terminal must not become ours. Node adds O_CLOEXEC itself.
const LOOK_ONLY = constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;
// A directory that may be entered but not listed can be started in; Node does not name the flag, open(2).
const O_PATH = process.platform === "linux" ? 0o10000000 : 0;

/** `planned` is what was seen under the path before it was planned with; a look from afterwards would prove nothing. */
export function openFile(named: Named, planned: Seen | null = null): Result<Opened, Denial> {
  return opened(named, constants.O_RDONLY | LOOK_ONLY, "binding.unavailable", planned);
}

export function openDirectory(named: Named, planned: Seen | null = null): Result<Opened, Denial> {
  return opened(named, constants.O_RDONLY | LOOK_ONLY | constants.O_DIRECTORY | O_PATH, "exec.cwd-invalid", planned);
}

function opened(named: Named, flags: number, code: Code, planned: Seen | null): Result<Opened, Denial> {
  let fd = -1;
  try {
    fd = openSync(named.path, flags);
    const stats = fstatSync(fd, { bigint: true });
    if (isThatFile(planned, stats) || isStillAt(named.path, fd, stats)) return ok({ fd, stats });
  } catch (error) {
    if (fd >= 0) closeSync(fd);
    return fail(ioRefusal(named, error, code));
  }
  closeSync(fd);
  return fail(refusal(named, "was moved or exchanged while it was opened; try again", code));
}

/** The very file that was planned with, wherever the way to it leads by now. Numbers that a double cannot hold prove nothing. */
function isThatFile(planned: Seen | null, { dev, ino }: BigIntStats): boolean {
  return planned !== null && Number.isSafeInteger(planned.ino) && BigInt(planned.ino) === ino && BigInt(planned.dev) === dev;
}

/**
 * Between the plan and the open a directory on the way may have become a link to elsewhere. The kernel knows where an open file lies,
 * proc(5) `/proc/pid/fd`; where it cannot be asked, both names must still lead to the same file.
 */
function isStillAt(path: AbsolutePath, fd: number, stats: BigIntStats): boolean {
  const told = process.platform === "linux" ? placeOf(fd) : null;
  if (told !== null) return told === path;
  if (realpathSync.native(path) !== path) return false;
  const now = statSync(path, { bigint: true });
  return now.dev === stats.dev && now.ino === stats.ino;
}

function placeOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

/** `what` completes a sentence that begins with the path. */
export function refusal({ path, field }: Named, what: string, code: Code = "binding.unavailable"): Denial {
  return denial(code, `${quoted(path)} ${what}`, { field, [code === "exec.cwd-invalid" ? "path" : "file"]: path });
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "may not be read by the user that the command runs as; make it readable to that user",
  EPERM: "may not be read by the user that the command runs as; make it readable to that user",
  ENOENT: "is not there any more; look where it went",
  ENOTDIR: "is not a directory; name one that is",
  ELOOP: "has become a symbolic link; try again",
};

const EXHAUSTED: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOSPC"]);

/** A world that failed us. Being out of descriptors or memory is our own trouble and passes. */
export function ioRefusal(named: Named, error: unknown, code: Code = "binding.unavailable"): Denial {
  const errno = errnoOf(error) ?? "unknown error";
  if (EXHAUSTED.has(errno)) return refusal(named, `cannot be held open just now (${errno}); try again later`, "overloaded");
  return refusal(named, REMEDIES[errno] ?? `cannot be opened (${errno}); look at the disk and the kernel log`, code);
}
