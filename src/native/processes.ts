import { constants } from "node:os";
import { as } from "./become.ts";
import type { CLibrary } from "./c-library.ts";
import type { ChildStatus, Native, SpawnRequest } from "./native.ts";
import { SystemError } from "./system-error.ts";

type ProcessCalls = Pick<
  Native,
  | "spawn"
  | "spawnBeside"
  | "reap"
  | "endedChild"
  | "becomeSubreaper"
  | "becomeUndumpable"
  | "forswearNewPrivileges"
  | "descriptorLimit"
  | "setDescriptorLimit"
  | "wear"
  | "mark"
>;

const SETSIGDEF_SETSIGMASK_SETSID = 0x04 | 0x08 | 0x80;
const P_ALL = 0;
const WNOHANG = 1;
const WEXITED = 4;
const WNOWAIT = 0x01000000;
const PR_SET_DUMPABLE = 4;
const PR_SET_CHILD_SUBREAPER = 36;
const PR_SET_NO_NEW_PRIVS = 38;
const RLIMIT_NOFILE = 7;
const RLIMIT_LOCKS = 10;
// posix_spawn's two opaque structures are 336 and 80 bytes in glibc and musl; sigset_t is 128 in both.
const OPAQUE_BYTES = 512;
const SIGSET_BYTES = 128;
const SIGINFO_BYTES = 128;

export function processes(c: CLibrary): ProcessCalls {
  const attributes = sessionWithDefaultSignals(c);
  return {
    spawn(request) {
      const actions = fileActions(c, request);
      try {
        const pid = new Int32Array(1);
        const start = (): number =>
          c.posix_spawn(pid, request.file, actions, attributes, [...request.argv, null], [...request.environment, null]);
        const errno = request.credentials === undefined ? start() : as(c, request.credentials, start);
        return errno === 0 ? { pid: pid[0] ?? -1 } : { errno };
      } finally {
        c.posix_spawn_file_actions_destroy(actions);
      }
    },
    async spawnBeside(request) {
      const actions = fileActions(c, request);
      const pid = new Int32Array(1);
      try {
        const words = [
          [...request.argv, null],
          [...request.environment, null],
        ] as const;
        const errno = await c.posix_spawn_beside(pid, request.file, actions, attributes, ...words);
        return errno === 0 ? { pid: pid[0] ?? -1 } : { errno };
      } finally {
        c.posix_spawn_file_actions_destroy(actions);
      }
    },
    reap(pid) {
      const status = new Int32Array(1);
      const reaped = c.waitpid(pid, status, WNOHANG);
      if (reaped === pid) return decode(status[0] ?? 0);
      return reaped === 0 || c.errno() === constants.errno.EINTR ? null : "gone";
    },
    endedChild() {
      const info = new Int32Array(SIGINFO_BYTES / 4);
      if (c.waitid(P_ALL, 0, info, WEXITED | WNOHANG | WNOWAIT) !== 0) return null;
      // siginfo_t: signo, errno, code, on 64-bit machines padding, then the pid. A pid of 0 means that none has ended.
      const pid = info[process.arch === "ia32" || process.arch === "arm" ? 3 : 4] ?? 0;
      return pid > 0 ? pid : null;
    },
    becomeSubreaper: () => c.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) === 0,
    becomeUndumpable: () => c.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0,
    forswearNewPrivileges: () => c.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) === 0,
    descriptorLimit() {
      const found = new BigUint64Array(2);
      if (c.prlimit(0, RLIMIT_NOFILE, null, found) !== 0) throw new SystemError("prlimit", c.errno());
      const [soft = 0n, hard = 0n] = found;
      return { soft: Number(soft), hard: Number(hard) };
    },
    setDescriptorLimit: (soft, hard) => c.prlimit(0, RLIMIT_NOFILE, BigUint64Array.of(BigInt(soft), BigInt(hard)), null) === 0,
    mark(pid, mark) {
      const found = new BigUint64Array(2);
      if (c.prlimit(pid, RLIMIT_LOCKS, null, found) !== 0) return;
      c.prlimit(pid, RLIMIT_LOCKS, BigUint64Array.of(BigInt(mark), found[1] ?? 0n), null);
    },
    wear(mark) {
      const own = new BigUint64Array(2);
      if (c.prlimit(0, RLIMIT_LOCKS, null, own) !== 0) return () => undefined;
      c.prlimit(0, RLIMIT_LOCKS, BigUint64Array.of(BigInt(mark), own[1] ?? 0n), null);
      return () => void c.prlimit(0, RLIMIT_LOCKS, own, null);
    },
  };
}

/** Made once and never destroyed: every child starts alike. */
function sessionWithDefaultSignals(c: CLibrary): Uint8Array {
  const attributes = new Uint8Array(OPAQUE_BYTES);
  c.posix_spawnattr_init(attributes);
  c.posix_spawnattr_setflags(attributes, SETSIGDEF_SETSIGMASK_SETSID);
  // Node ignores SIGPIPE, and an ignored signal stays ignored across execve(2): a child would never learn that its reader has gone.
  c.posix_spawnattr_setsigdefault(attributes, everySignal());
  c.posix_spawnattr_setsigmask(attributes, new Uint8Array(SIGSET_BYTES));
  return attributes;
}

/** All but SIGKILL and SIGSTOP, which have no disposition to set. Bit n-1 is signal n, in words of this machine's order. */
function everySignal(): Uint8Array {
  const words = new Uint32Array(SIGSET_BYTES / 4).fill(0xffffffff, 0, 2);
  for (const signal of [constants.signals.SIGKILL, constants.signals.SIGSTOP]) words[0] = (words[0] ?? 0) & ~(1 << (signal - 1));
  return new Uint8Array(words.buffer);
}

function fileActions(c: CLibrary, request: Omit<SpawnRequest, "credentials">): Uint8Array {
  const actions = new Uint8Array(OPAQUE_BYTES);
  c.posix_spawn_file_actions_init(actions);
  // Never addclosefrom_np: with a file given as /proc/self/fd/N it closes the very file to be started, and every spawn fails with ENOENT.
  c.posix_spawn_file_actions_addfchdir_np(actions, request.cwdFd);
  for (const { ours, childs } of request.descriptors) c.posix_spawn_file_actions_adddup2(actions, ours, childs);
  return actions;
}

function decode(status: number): ChildStatus {
  const signal = status & 0x7f;
  return signal === 0 ? { exitCode: (status >> 8) & 0xff, signal: null } : { exitCode: null, signal };
}
