/** Reading and hashing what is open: small files at once, large ones in a thread of their own, and programs that are known from before not at all. */
import { type BigIntStats, readSync } from "node:fs";
import { HASH_INLINE_BYTES_MAX } from "../core/limits.ts";
import { type Sha256, sha256Of } from "../core/sha256.ts";
import { createHashCache } from "./hash-cache.ts";
import { createHashThread, type Hashed, type HashFailure } from "./hash-thread.ts";
import type { Opened } from "./open-file.ts";

export interface Hashing {
  /** `timesTell`: every change of this file shows in its stat, so that what was hashed before need not be read again. */
  hashOf(opened: Opened, timesTell: boolean): Promise<Sha256 | HashFailure>;
  /** The bytes themselves and the hash of those very bytes. Never from memory. */
  contentOf(opened: Opened): Promise<Hashed | HashFailure>;
  stop(): void;
}

export function createHashing(nowMs: () => number): Hashing {
  const cache = createHashCache();
  const thread = createHashThread();

  async function contentOf({ fd, stats }: Opened): Promise<Hashed | HashFailure> {
    if (stats.size > HASH_INLINE_BYTES_MAX) return thread.hash({ fd, bytes: Number(stats.size), keep: true });
    const content = readWhole(fd, stats);
    return content === null ? "changed" : { sha256: sha256Of(content), content };
  }

  async function freshHash(opened: Opened): Promise<Sha256 | HashFailure> {
    const { fd, stats } = opened;
    const large = stats.size > HASH_INLINE_BYTES_MAX;
    const found = large ? await thread.hash({ fd, bytes: Number(stats.size), keep: false }) : await contentOf(opened);
    return typeof found === "string" ? found : found.sha256;
  }

  return {
    contentOf,
    stop: () => thread.stop(),
    async hashOf(opened, timesTell) {
      const known = timesTell ? cache.get(opened.stats) : undefined;
      if (known !== undefined) return known;
      const beganMs = nowMs();
      const found = await freshHash(opened);
      if (timesTell && !isFailure(found)) cache.put(opened.stats, found, beganMs);
      return found;
    },
  };
}

export function isFailure(found: Sha256 | Hashed | HashFailure): found is HashFailure {
  return found === "changed" || found === "full" || found === "failed";
}

/** `null` when there is more or less of it than fstat(2) told: somebody is writing to it. */
function readWhole(fd: number, { size }: BigIntStats): Buffer | null {
  const bytes = Number(size);
  const room = Buffer.allocUnsafe(bytes + 1);
  let at = 0;
  for (let count = -1; count !== 0 && at <= bytes; at += count) count = readSync(fd, room, at, room.length - at, at);
  return at === bytes ? room.subarray(0, bytes) : null;
}
