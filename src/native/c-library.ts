/** Every libc call this program makes, with its man page, in one place; koffi is named in no other file. */
import { createRequire } from "node:module";
import type * as koffi from "koffi";

type Koffi = typeof koffi;
type CValue = number | bigint | string | null | NodeJS.TypedArray | readonly (string | null)[];
type CCall = (...values: readonly CValue[]) => number;
type CCallBeside = (...values: readonly CValue[]) => Promise<number>;

const DECLARED = {
  getsockopt: "int getsockopt(int fd, int level, int name, void *value, void *length)", // getsockopt(2)
  socket: "int socket(int domain, int type, int protocol)", // socket(2)
  sendto: "long sendto(int fd, void *bytes, size_t length, int flags, void *address, unsigned int addressLength)", // sendto(2)
  close: "int close(int fd)", // close(2)
  read: "long read(int fd, void *bytes, size_t length)", // read(2)
  flock: "int flock(int fd, int operation)", // flock(2)
  poll: "int poll(void *fds, unsigned long count, int timeout)", // poll(2)
  fcntl: "int fcntl(int fd, int command, int argument)", // fcntl(2)
  pipe2: "int pipe2(void *fds, int flags)", // pipe(2)
  memfd_create: "int memfd_create(const char *name, unsigned int flags)", // memfd_create(2), glibc 2.27, musl 1.1.20
  getxattr: "long getxattr(const char *path, const char *name, void *value, size_t size)", // getxattr(2)
  posix_spawn: "int posix_spawn(void *pid, const char *path, void *actions, void *attributes, char **argv, char **environment)", // posix_spawn(3)
  posix_spawn_file_actions_init: "int posix_spawn_file_actions_init(void *actions)", // posix_spawn_file_actions_init(3)
  posix_spawn_file_actions_destroy: "int posix_spawn_file_actions_destroy(void *actions)",
  posix_spawn_file_actions_adddup2: "int posix_spawn_file_actions_adddup2(void *actions, int from, int to)",
  posix_spawn_file_actions_addfchdir_np: "int posix_spawn_file_actions_addfchdir_np(void *actions, int fd)", // glibc 2.29, musl 1.1.24
  posix_spawnattr_init: "int posix_spawnattr_init(void *attributes)", // posix_spawnattr_init(3)
  posix_spawnattr_setflags: "int posix_spawnattr_setflags(void *attributes, short flags)",
  posix_spawnattr_setsigdefault: "int posix_spawnattr_setsigdefault(void *attributes, void *signals)",
  posix_spawnattr_setsigmask: "int posix_spawnattr_setsigmask(void *attributes, void *signals)",
  waitpid: "int waitpid(int pid, void *status, int options)", // waitpid(2)
  waitid: "int waitid(int type, unsigned int id, void *info, int options)", // waitid(2)
  prctl: "int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)", // prctl(2)
  prlimit: "int prlimit(int pid, int resource, void *wanted, void *found)", // getrlimit(2)
  syscall: "long syscall(long number, unsigned long a, unsigned long b, unsigned long c)", // syscall(2)
  syscallWithList: "long syscall(long number, unsigned long count, void *list)",
} as const;

export type CLibrary = { readonly [Name in keyof typeof DECLARED]: CCall } & {
  /** On a thread of libuv's pool. Whatever is handed over must stay referenced until it has answered. */
  readonly posix_spawn_beside: CCallBeside;
  readonly errno: () => number;
};

/** `null` when koffi or any of the symbols is missing: a half-loaded library would be a level nobody has tested. */
export function openCLibrary(): CLibrary | null {
  try {
    // Loaded on demand and synchronously: the command line never needs it, and a daemon needs it before it listens.
    const loaded: unknown = createRequire(import.meta.url)("koffi");
    return isKoffi(loaded) ? declare(loaded) : null;
  } catch {
    return null;
  }
}

function declare(koffi: Koffi): CLibrary {
  const library = firstThatLoads(koffi, ["libc.so.6", `libc.musl-${MUSL_ARCHITECTURE[process.arch] ?? process.arch}.so.1`, "libc.so"]);
  const call = (declaration: string): CCall => {
    const raw = library.func(declaration);
    return (...values) => {
      const result: unknown = raw(...values);
      if (typeof result === "number") return result;
      throw new Error("a libc call gave something that is not a number");
    };
  };
  const callBeside = (declaration: string): CCallBeside => {
    const raw = library.func(declaration);
    return (...values) =>
      new Promise((resolve, reject) => {
        raw.async(...values, (error: Error | null, result: unknown) => {
          if (typeof result === "number") resolve(result);
          else reject(error ?? new Error("a libc call gave something that is not a number"));
        });
      });
  };
  return {
    getsockopt: call(DECLARED.getsockopt),
    socket: call(DECLARED.socket),
    sendto: call(DECLARED.sendto),
    close: call(DECLARED.close),
    read: call(DECLARED.read),
    flock: call(DECLARED.flock),
    poll: call(DECLARED.poll),
    fcntl: call(DECLARED.fcntl),
    pipe2: call(DECLARED.pipe2),
    memfd_create: call(DECLARED.memfd_create),
    getxattr: call(DECLARED.getxattr),
    posix_spawn: call(DECLARED.posix_spawn),
    posix_spawn_beside: callBeside(DECLARED.posix_spawn),
    posix_spawn_file_actions_init: call(DECLARED.posix_spawn_file_actions_init),
    posix_spawn_file_actions_destroy: call(DECLARED.posix_spawn_file_actions_destroy),
    posix_spawn_file_actions_adddup2: call(DECLARED.posix_spawn_file_actions_adddup2),
    posix_spawn_file_actions_addfchdir_np: call(DECLARED.posix_spawn_file_actions_addfchdir_np),
    posix_spawnattr_init: call(DECLARED.posix_spawnattr_init),
    posix_spawnattr_setflags: call(DECLARED.posix_spawnattr_setflags),
    posix_spawnattr_setsigdefault: call(DECLARED.posix_spawnattr_setsigdefault),
    posix_spawnattr_setsigmask: call(DECLARED.posix_spawnattr_setsigmask),
    waitpid: call(DECLARED.waitpid),
    waitid: call(DECLARED.waitid),
    prctl: call(DECLARED.prctl),
    prlimit: call(DECLARED.prlimit),
    syscall: call(DECLARED.syscall),
    syscallWithList: call(DECLARED.syscallWithList),
    errno: () => koffi.errno(),
  };
}

const MUSL_ARCHITECTURE: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64", arm: "armhf", ia32: "x86" };

function firstThatLoads(koffi: Koffi, names: readonly string[]): koffi.LibraryHandle {
  for (const name of names) {
    try {
      return koffi.load(name);
    } catch {
      // The other C library's name; the last failure is reported below.
    }
  }
  throw new Error("no C library under a known name");
}

function isKoffi(value: unknown): value is Koffi {
  return typeof value === "object" && value !== null && "load" in value && typeof value.load === "function";
}
