/** What an answer rests on: while every place that was looked at for it looks the same, it would be the same answer. */
import { HASH_CACHE_SETTLED_MS } from "../core/limits.ts";
import { isLink, type Seen } from "./seen.ts";
import type { Walker } from "./walk.ts";

export interface Witnesses {
  /** Looks at each of these places anew, with the eyes of another request, which then knows them. */
  stillStand(walker: Walker): boolean;
}

/**
 * A list, acl(5), can be changed without anything but the ctime showing it; and a directory's ctime moves with every file in it. It counts
 * where a list could say more than the mode: always for somebody else's eyes, and for our own where its mask, the group's bits, lets it
 * grant writing to more than everybody. Of a link it counts too: one that leads elsewhere is another inode, symlink(7), and may have got the
 * number of the one before.
 */
export type ListsCount = "everywhere" | "where-the-group-may-write";

/** `null` where such a place changed a moment ago: within one tick of the kernel's clock a second change leaves the same ctime. */
export function witnessesOf(walker: Walker, lists: ListsCount, nowMs: number): Witnesses | null {
  const seen = walker.seen();
  const timeCounts = (found: Seen): boolean =>
    lists === "everywhere" || isLink(found) || (found.mode & ANYBODY_MAY_WRITE) === GROUP_MAY_WRITE;

  function looksTheSame(before: Seen | null, now: Seen | null): boolean {
    if (before === null || now === null) return before === now;
    const isSame = before.ino === now.ino && before.dev === now.dev && before.mode === now.mode;
    return isSame && before.uid === now.uid && before.gid === now.gid && (!timeCounts(now) || before.ctimeMs === now.ctimeMs);
  }

  for (const found of seen.values()) {
    if (found !== null && timeCounts(found) && nowMs - found.ctimeMs < HASH_CACHE_SETTLED_MS) return null;
  }
  return {
    stillStand(again) {
      for (const [path, found] of seen) if (!looksTheSame(found, again.found(path))) return false;
      return true;
    },
  };
}

const GROUP_MAY_WRITE = 0o020;
const ANYBODY_MAY_WRITE = 0o022;
