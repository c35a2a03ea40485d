import { closeSync, readdirSync, writeSync } from "node:fs";
import { constants } from "node:os";
import type { CLibrary } from "./c-library.ts";
import type { Native } from "./native.ts";
import { SystemError } from "./system-error.ts";

type FileCalls = Pick<
  Native,
  | "duplicateFrom"
  | "pipe"
  | "readWithoutWaiting"
  | "read"
  | "closeOnExecFrom"
  | "sealedFile"
  | "takeReadLease"
  | "holdsReadLease"
  | "dropLease"
  | "accessControlList"
>;

const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = process.arch.startsWith("mips") ? 0o200 : 0o4000;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const F_SETFL = 4;
const F_RDLCK = 0;
const F_UNLCK = 2;
const F_SETLEASE = 1024;
const F_GETLEASE = 1025;
const F_DUPFD_CLOEXEC = 1030;
const F_ADD_SEALS = 1033;
const SEAL_SEAL_SHRINK_GROW_WRITE = 0xf;
const MFD_CLOEXEC_ALLOW_SEALING = 3;
// Linux 6.3 wants to be told whether the file may be executed; older kernels refuse the word.
const MFD_NOEXEC_SEAL = 8;
const MFD_EXEC = 16;
// The same number on every architecture; glibc has a wrapper only since 2.34.
const SYS_CLOSE_RANGE = 436;
const CLOSE_RANGE_CLOEXEC = 4;
const ACL_BYTES_MAX = 64 * 1024;

export function files(c: CLibrary): FileCalls {
  const aclRoom = new Uint8Array(ACL_BYTES_MAX);
  const check = (call: string, result: number): number => {
    if (result < 0) throw new SystemError(call, c.errno());
    return result;
  };
  const anonymousFile = (name: string, use: "data" | "program"): number => {
    const modern = c.memfd_create(name, MFD_CLOEXEC_ALLOW_SEALING | (use === "program" ? MFD_EXEC : MFD_NOEXEC_SEAL));
    if (modern >= 0 || c.errno() !== constants.errno.EINVAL) return check("memfd_create", modern);
    return check("memfd_create", c.memfd_create(name, MFD_CLOEXEC_ALLOW_SEALING));
  };
  return {
    duplicateFrom: (fd, lowest) => check("fcntl", c.fcntl(fd, F_DUPFD_CLOEXEC, lowest)),
    pipe() {
      const ends = new Int32Array(2);
      check("pipe2", c.pipe2(ends, O_CLOEXEC));
      const [readEnd = -1, writeEnd = -1] = ends;
      return { readEnd, writeEnd };
    },
    read(fd, into) {
      const count = c.read(fd, into, into.length);
      if (count >= 0) return count;
      const errno = c.errno();
      if (errno === constants.errno.EAGAIN || errno === constants.errno.EINTR) return null;
      throw new SystemError("read", errno);
    },
    readWithoutWaiting: (fd) => void check("fcntl", c.fcntl(fd, F_SETFL, O_NONBLOCK)),
    closeOnExecFrom(first) {
      if (c.syscall(SYS_CLOSE_RANGE, first, 0xffffffff, CLOSE_RANGE_CLOEXEC) === 0) return true;
      const open = readdirSync("/proc/self/fd").map(Number);
      // The descriptor of that directory itself is closed again by now: its failure says nothing.
      for (const fd of open) if (fd >= first) c.fcntl(fd, F_SETFD, FD_CLOEXEC);
      return true;
    },
    sealedFile(name, bytes, use) {
      const fd = anonymousFile(name, use);
      try {
        // pwrite, piece by piece: a plain write would leave the offset at the end, and readers would see an empty file.
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
        check("fcntl", c.fcntl(fd, F_ADD_SEALS, SEAL_SEAL_SHRINK_GROW_WRITE));
        return fd;
      } catch (error) {
        closeSync(fd);
        throw error;
      }
    },
    takeReadLease: (fd) => c.fcntl(fd, F_SETLEASE, F_RDLCK) === 0,
    holdsReadLease: (fd) => c.fcntl(fd, F_GETLEASE, 0) === F_RDLCK,
    dropLease: (fd) => void c.fcntl(fd, F_SETLEASE, F_UNLCK),
    accessControlList(path) {
      // Hardly any file has one: room is made once and not at every look.
      const length = c.getxattr(path, "system.posix_acl_access", aclRoom, aclRoom.length);
      if (length >= 0) return aclRoom.slice(0, length);
      const errno = c.errno();
      // ENODATA: no list on this file. EOPNOTSUPP: none on this file system.
      if (errno === constants.errno.ENODATA || errno === constants.errno.EOPNOTSUPP) return null;
      throw new SystemError("getxattr", errno);
    },
  };
}
