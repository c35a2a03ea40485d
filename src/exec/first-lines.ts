/** How files begin: the `#!` lines of scripts. Those of root's programs are known from before, by what stat(2) says, as their hashes are. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Machine } from "../analysis/machine.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import { HASH_CACHE_FILES_MAX, HASH_CACHE_SETTLED_MS, SHEBANG_BYTES_MAX } from "../core/limits.ts";
import type { Seen } from "./seen.ts";
import { parseShebang } from "./shebang-line.ts";

type FirstLine = ReturnType<Machine["shebang"]>;

export interface FirstLines {
  /** Only for files that root alone can change: anybody else could write a line and put the old times back. */
  of(path: AbsolutePath, found: Seen): FirstLine;
}

export function createFirstLines(nowMs: () => number): FirstLines {
  const known = new Map<string, FirstLine>();
  return {
    of(path, found) {
      const { dev, ino, size, mtimeMs, ctimeMs } = found;
      const key = `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const line = read(path);
      if (line === "unread") return null;
      // A file that changed shortly before is not remembered: its next change could leave the same times.
      if (nowMs() - ctimeMs < HASH_CACHE_SETTLED_MS) return line;
      const [oldest] = known.keys();
      if (known.size >= HASH_CACHE_FILES_MAX && oldest !== undefined) known.delete(oldest);
      known.set(key, line);
      return line;
    },
  };
}

// A FIFO put there a moment ago must not make us wait for its writer, nor a terminal become ours.
const LOOK_ONLY = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

/** What cannot be read here cannot be opened later either, and is refused there by name. */
export function readFirstLine(path: AbsolutePath): FirstLine {
  const line = read(path);
  return line === "unread" ? null : line;
}

/** `unread` passes, being out of descriptors for one, and is nothing to remember of a file. */
function read(path: AbsolutePath): FirstLine | "unread" {
  try {
    const fd = openSync(path, LOOK_ONLY);
    try {
      const head = Buffer.allocUnsafe(SHEBANG_BYTES_MAX);
      return parseShebang(head.subarray(0, readSync(fd, head, 0, SHEBANG_BYTES_MAX, 0)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "unread";
  }
}
