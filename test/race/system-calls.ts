/** The two system calls that an attacker has and Node does not offer: exchanging two names at once, and hearing of every open and close. */
import { closeSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type * as Koffi from "koffi";

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const IN_NONBLOCK = 0o4000;
const IN_OPEN_ACCESS_CLOSE_NOWRITE = 0x20 | 0x01 | 0x10;
const POLLIN = 1;
const EVENT_BYTES_MAX = 4096;

function library(): Koffi.LibraryHandle {
  const koffi: typeof Koffi = createRequire(import.meta.url)("koffi");
  for (const name of ["libc.so.6", "libc.so"]) {
    try {
      return koffi.load(name);
    } catch {
      // The next name may be the one.
    }
  }
  throw new Error("no C library could be loaded; the attackers need koffi");
}

/** renameat2(2) with RENAME_EXCHANGE: at no instant is either name missing. */
export function exchanger(): (one: string, other: string) => void {
  const call = library().func("int renameat2(int oldDir, const char *oldPath, int newDir, const char *newPath, unsigned int flags)");
  return (one, other) => {
    if (Number(call(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)) !== 0) throw new Error(`cannot exchange ${one} and ${other}`);
  };
}

export interface Watch {
  /** Whether the file, or its directory, was opened, read or closed since the last question; waits at most this long for it. */
  touched(withinMs: number): boolean;
  close(): void;
}

/** inotify(7) on the directory, so that the watch outlives every exchange of the file in it. */
export function watchReads(file: string): Watch {
  const libc = library();
  const init = libc.func("int inotify_init1(int flags)");
  const add = libc.func("int inotify_add_watch(int fd, const char *path, unsigned int mask)");
  const poll = libc.func("int poll(void *fds, unsigned long count, int timeout)");
  const read = libc.func("long read(int fd, void *bytes, size_t length)");
  const fd = Number(init(IN_NONBLOCK));
  if (fd < 0 || Number(add(fd, dirname(file), IN_OPEN_ACCESS_CLOSE_NOWRITE)) < 0) throw new Error(`cannot watch ${file}`);
  const buffer = new Uint8Array(EVENT_BYTES_MAX);
  return {
    touched(withinMs) {
      const asked = Int32Array.of(fd, POLLIN);
      return Number(poll(asked, 1, withinMs)) > 0 && Number(read(fd, buffer, EVENT_BYTES_MAX)) > 0;
    },
    close: () => closeSync(fd),
  };
}
