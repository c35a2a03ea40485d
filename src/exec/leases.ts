/** Read leases on programs that are about to start, fcntl(2) "Leases": whoever opens one for writing waits until we let go. */
import type { Native } from "../native/native.ts";

export interface Leases {
  /** `false` when it is refused: somebody has the file open for writing, it is not ours, or its file system knows no leases. */
  take(fd: number): boolean;
  /** Whether nobody has asked to write since it was taken. */
  isWhole(fd: number): boolean;
  drop(fd: number): void;
}

/** Of the whole process, as its descriptors and signals are. */
const held = new Map<number, Native>();
let listening = false;

export function createLeases(native: Native): Leases {
  return {
    drop,
    isWhole: (fd) => held.has(fd) && native.holdsReadLease(fd),
    take(fd) {
      // SIGIO tells of a writer, and its default is to end the process. Never taken back: a late signal would still be on its way.
      if (!listening) process.on("SIGIO", letWritersIn);
      listening = true;
      if (!native.takeReadLease(fd)) return false;
      held.set(fd, native);
      return true;
    },
  };
}

/**
 * An editor must not hang for the kernel's 45 seconds because somebody thinks about an approval. Whoever wants to write gets the file at
 * once; the evidence that rested on the lease is then worth nothing, which launch() sees, and everything is looked at anew.
 */
function letWritersIn(): void {
  for (const [fd, native] of held) if (!native.holdsReadLease(fd)) drop(fd);
}

function drop(fd: number): void {
  held.get(fd)?.dropLease(fd);
  held.delete(fd);
}
