/** Who besides us could read or change something we rely on, judged from one lstat(2). */
import type { Stats } from "node:fs";

export interface Expectation {
  readonly kind: "file" | "directory" | "socket";
  /** Whether others may not even read it. */
  readonly secret: boolean;
  /** What `countersign doctor --fix` sets it to. */
  readonly mode: number;
}

export interface Fault {
  readonly reason: string;
  readonly remedy: string;
  /** The mode that would mend it; `null` when a person has to decide. */
  readonly mode: number | null;
}

const FIX = "run `countersign doctor --fix`";
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;

/** `uid` is the one we run as. What root owns is as good as ours: root can do anything to us anyway. */
export function faultOf(found: Stats, uid: number, expected: Expectation): Fault | null {
  if (found.isSymbolicLink()) return { reason: "is a symbolic link", remedy: `put the ${expected.kind} itself there`, mode: null };
  if (!isKind(found, expected.kind)) return { reason: `is not a ${expected.kind}`, remedy: "move it away", mode: null };
  if (found.uid !== uid && found.uid !== 0) return { reason: `is owned by uid ${found.uid}`, remedy: `give it to uid ${uid}`, mode: null };
  if ((found.mode & OTHERS_WRITE) !== 0)
    return { reason: `can be written by others (${octal(found.mode)})`, remedy: FIX, mode: expected.mode };
  if (expected.secret && (found.mode & OTHERS_READ) !== 0) {
    return { reason: `can be read by others (${octal(found.mode)})`, remedy: FIX, mode: expected.mode };
  }
  return null;
}

/**
 * A directory on the way to ours. Whoever can write to it can put something else in our place, unless the sticky bit lets only the owner
 * of an entry rename it, as in /tmp.
 */
export function faultOnTheWay(found: Stats, uid: number): Fault | null {
  if (found.uid !== uid && found.uid !== 0) {
    return { reason: `lies above the state directory and is owned by uid ${found.uid}`, remedy: "choose another --state-dir", mode: null };
  }
  if (found.isSymbolicLink() || (found.mode & OTHERS_WRITE) === 0 || (found.mode & 0o1000) !== 0) return null;
  const mode = found.mode & 0o7777 & ~OTHERS_WRITE;
  return { reason: `lies above the state directory and can be written by others (${octal(found.mode)})`, remedy: FIX, mode };
}

export function octal(mode: number): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

function isKind(found: Stats, kind: Expectation["kind"]): boolean {
  switch (kind) {
    case "file":
      return found.isFile();
    case "directory":
      return found.isDirectory();
    case "socket":
      return found.isSocket();
  }
}
