/** The C library's calls as the layers above want them: descriptors and numbers in, values or a SystemError out. */
import { constants } from "node:os";
import { type CLibrary, openCLibrary } from "./c-library.ts";
import { files } from "./files.ts";
import type { Native, PeerCredentials } from "./native.ts";
import { processes } from "./processes.ts";
import { SystemError } from "./system-error.ts";

let loaded: Native | null | undefined;

/** `COUNTERSIGN_NATIVE=off` forces the level down, so that what happens without native code can be seen on any machine. */
export function loadNative(): Native | null {
  if (process.env["COUNTERSIGN_NATIVE"] === "off") return null;
  loaded ??= process.platform === "linux" ? bind(openCLibrary()) : null;
  return loaded;
}

function bind(c: CLibrary | null): Native | null {
  return c === null ? null : { ...sockets(c), ...files(c), ...processes(c) };
}

const SOL_SOCKET = 1;
const SO_PEERCRED = process.arch === "ppc64" ? 21 : 17;
const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC_NONBLOCK = (process.arch.startsWith("mips") ? 1 : 2) | 0o2000000 | 0o4000;
const MSG_NOSIGNAL = 0x4000;
const SUN_PATH_BYTES = 108;
const LOCK_EX_NB = 2 | 4;
const POLLERR_HUP_NVAL = 0x08 | 0x10 | 0x20;

function sockets(c: CLibrary): Pick<Native, "peerCredentials" | "lockExclusively" | "hasHungUp" | "sendDatagram"> {
  return {
    peerCredentials(socketFd): PeerCredentials | null {
      const found = new Int32Array(3);
      const length = Int32Array.of(found.byteLength);
      if (c.getsockopt(socketFd, SOL_SOCKET, SO_PEERCRED, found, length) !== 0) return null;
      const [pid = 0, uid = -1, gid = -1] = found;
      // A pid of 0 is a peer outside our pid namespace: known by uid all the same. Ids are unsigned.
      return { pid, uid: uid >>> 0, gid: gid >>> 0 };
    },
    lockExclusively(fd) {
      if (c.flock(fd, LOCK_EX_NB) === 0) return true;
      const errno = c.errno();
      if (errno === constants.errno.EWOULDBLOCK || errno === constants.errno.EAGAIN) return false;
      throw new SystemError("flock", errno);
    },
    hasHungUp(fd) {
      // struct pollfd: the descriptor, the events asked for (none: hang-ups are always told), the events found.
      const asked = Int32Array.of(fd, 0);
      if (c.poll(asked, 1, 0) < 0) throw new SystemError("poll", c.errno());
      return ((new Int16Array(asked.buffer)[3] ?? 0) & POLLERR_HUP_NVAL) !== 0;
    },
    sendDatagram(path, bytes) {
      const address = unixAddress(path);
      const fd = address === null ? -1 : c.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC_NONBLOCK, 0);
      if (address === null || fd < 0) return false;
      try {
        return c.sendto(fd, Uint8Array.from(bytes), bytes.length, MSG_NOSIGNAL, address, address.length) === bytes.length;
      } finally {
        c.close(fd);
      }
    },
  };
}

/** struct sockaddr_un: the family, then the path; an abstract name starts with NUL and ends with the length given. */
function unixAddress(path: string): Uint8Array | null {
  const name = Buffer.from(path.startsWith("@") ? `\0${path.slice(1)}` : `${path}\0`, "utf8");
  return name.length > SUN_PATH_BYTES ? null : Buffer.concat([Uint8Array.from(new Uint8Array(Uint16Array.of(AF_UNIX).buffer)), name]);
}
