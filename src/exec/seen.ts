/** What a look at a place found there, stat(2). */
import { constants, type Stats } from "node:fs";

/**
 * The part of Node's Stats that anybody asks for. A request keeps what it saw for as long as it runs, and four dates for every place would be
 * most of what it keeps.
 */
export interface Seen {
  readonly dev: number;
  readonly ino: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export function seenIn({ dev, ino, mode, uid, gid, size, mtimeMs, ctimeMs }: Stats): Seen {
  return { dev, ino, mode, uid, gid, size, mtimeMs, ctimeMs };
}

type Kind = Pick<Seen, "mode">;

export function isFile({ mode }: Kind): boolean {
  return (mode & constants.S_IFMT) === constants.S_IFREG;
}

export function isDirectory({ mode }: Kind): boolean {
  return (mode & constants.S_IFMT) === constants.S_IFDIR;
}

export function isLink({ mode }: Kind): boolean {
  return (mode & constants.S_IFMT) === constants.S_IFLNK;
}
