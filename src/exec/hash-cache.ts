/** Hashes of programs by what stat(2) says of the file: device, inode, size, mtime and ctime in nanoseconds. */
import type { BigIntStats } from "node:fs";
import { HASH_CACHE_FILES_MAX, HASH_CACHE_SETTLED_MS } from "../core/limits.ts";
import type { Sha256 } from "../core/sha256.ts";

export interface HashCache {
  get(stats: BigIntStats): Sha256 | undefined;
  /** `hashedAtMs` is when reading began. A file that changed shortly before is not kept: its next change could leave no trace. */
  put(stats: BigIntStats, sha256: Sha256, hashedAtMs: number): void;
}

/**
 * Only for files whose ctime can be trusted to tell of every change, which the caller must know: on tmpfs a store through a shared mapping
 * moves no timestamp at all, and on a disk a second store to a page that is already dirty moves none either.
 */
export function createHashCache(): HashCache {
  const known = new Map<string, Sha256>();
  return {
    get(stats) {
      const key = keyOf(stats);
      const found = known.get(key);
      if (found !== undefined) {
        // Last in line again: the first in line is the one that goes when there are too many.
        known.delete(key);
        known.set(key, found);
      }
      return found;
    },
    put(stats, sha256, hashedAtMs) {
      if (hashedAtMs - Number(stats.ctimeMs) < HASH_CACHE_SETTLED_MS) return;
      known.set(keyOf(stats), sha256);
      const [oldest] = known.keys();
      if (known.size > HASH_CACHE_FILES_MAX && oldest !== undefined) known.delete(oldest);
    },
  };
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
