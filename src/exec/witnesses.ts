/** What an answer rests on: while every place that was looked at for it looks the same, it would be the same answer. */
import type { Stats } from "node:fs";
import { HASH_CACHE_SETTLED_MS } from "../core/limits.ts";
import type { Walker } from "./walk.ts";

export interface Witnesses {
  /** Looks at each of these places anew, with the eyes of another request, which then knows them. */
  stillStand(walker: Walker): boolean;
}

/**
 * `null` where one of the places changed a moment ago: within one tick of the kernel's clock a second change leaves the same ctime, and a
 * list, acl(5), can be changed without anything else showing it.
 */
export function witnessesOf(walker: Walker, nowMs: number): Witnesses | null {
  const seen = walker.seen();
  for (const found of seen.values()) if (found !== null && nowMs - found.ctimeMs < HASH_CACHE_SETTLED_MS) return null;
  return {
    stillStand(again) {
      for (const [path, found] of seen) if (!looksTheSame(found, again.found(path))) return false;
      return true;
    },
  };
}

/** A link cannot be written to, symlink(7): one that leads elsewhere is another inode. */
function looksTheSame(before: Stats | null, now: Stats | null): boolean {
  if (before === null || now === null) return before === now;
  return (
    before.ino === now.ino &&
    before.dev === now.dev &&
    before.ctimeMs === now.ctimeMs &&
    before.mode === now.mode &&
    before.uid === now.uid &&
    before.gid === now.gid
  );
}
