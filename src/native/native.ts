/**
 * What native code gives the layers above, whatever library stands behind it. `null` from loadNative() (libc.ts) means: no native code
 * here, go one level down and say so. Every call fails with an errno rather than a guess: a call without a failure of its own throws a
 * SystemError.
 */
export interface Native {
  /** SO_PEERCRED, unix(7). */
  peerCredentials(socketFd: number): PeerCredentials | null;
  /** flock(2) LOCK_EX|LOCK_NB: `false` when somebody else holds it. The kernel lets go when the descriptor closes, however we die. */
  lockExclusively(fd: number): boolean;
  /** poll(2) for POLLHUP|POLLERR without waiting: a full close, told from a half-close. */
  hasHungUp(fd: number): boolean;
  /** One datagram to a Unix socket, sendto(2); a leading `@` names an abstract one, unix(7). `false` when it was not taken. */
  sendDatagram(path: string, bytes: Uint8Array): boolean;

  /** fcntl(2) F_DUPFD_CLOEXEC: the same open file under the lowest free number from `lowest` on. */
  duplicateFrom(fd: number, lowest: number): number;
  /** pipe2(2) O_CLOEXEC. */
  pipe(): { readonly readEnd: number; readonly writeEnd: number };
  /** fcntl(2) F_SETFL O_NONBLOCK, on a descriptor that is open for reading alone: a read that has nothing to give fails instead of waiting. */
  readWithoutWaiting(fd: number): void;
  /** read(2): how many bytes came, 0 at the end, `null` when there are none yet. Node makes an exception of that, which takes longer than the rest. */
  read(fd: number, into: Uint8Array): number | null;
  /** close_range(2) CLOSE_RANGE_CLOEXEC: everything from `first` on stays ours and reaches no child. Before Linux 5.11 one by one. */
  closeOnExecFrom(first: number): boolean;
  /** An anonymous file with exactly these bytes that nobody can change any more, memfd_create(2), fcntl(2) F_ADD_SEALS. */
  sealedFile(name: string, bytes: Uint8Array, use: "data" | "program"): number;
  /** fcntl(2) F_SETLEASE F_RDLCK: while it is held, whoever opens the file for writing waits. `false` when it is refused. */
  takeReadLease(fd: number): boolean;
  /** Whether the lease is still whole: F_GETLEASE answers F_UNLCK as soon as somebody asked to write. */
  holdsReadLease(fd: number): boolean;
  dropLease(fd: number): void;
  /** The access control list as it lies on disk, or `null` when there is none, acl(5), fgetxattr(2). */
  accessControlList(path: string): Uint8Array | null;

  spawn(request: SpawnRequest): SpawnOutcome;
  /**
   * The same on another thread. posix_spawn(3) suspends its caller until the child has become its program, which takes as long as the
   * machine is busy; meanwhile this one goes on. Every descriptor must stay open until it answers. Without `credentials`: those are a thread's own.
   */
  spawnBeside(request: Omit<SpawnRequest, "credentials">): Promise<SpawnOutcome>;
  /** waitpid(2) WNOHANG on this one child: `null` while it runs, `"gone"` when it is no child of ours. */
  reap(pid: number): ChildStatus | "gone" | null;
  /** waitid(2) WNOWAIT over all children: the pid of one that ended and was not reaped yet, and stays so. */
  endedChild(): number | null;
  /** prctl(2) PR_SET_CHILD_SUBREAPER: orphans of our children become ours instead of init's. */
  becomeSubreaper(): boolean;
  /** prctl(2) PR_SET_DUMPABLE 0: no other process of our uid may read our memory or trace us. */
  becomeUndumpable(): boolean;
  /** prctl(2) PR_SET_NO_NEW_PRIVS: no set-id bit raises whatever we start from now on. Cannot be taken back. */
  forswearNewPrivileges(): boolean;
  /** getrlimit(2) RLIMIT_NOFILE. */
  descriptorLimit(): { readonly soft: number; readonly hard: number };
  setDescriptorLimit(soft: number, hard: number): boolean;
  /**
   * Until the answer is called, whatever is started, and all that comes from it, has this number as its RLIMIT_LOCKS, getrlimit(2). Linux has
   * not looked at that limit since 2.4.25. It is the whole process's, so nobody else may be started meanwhile. Where it cannot be set, nothing
   * is marked.
   */
  wear(mark: number): () => void;
  /** The same for one that is there already, prlimit(2), and for all that comes from it from now on. */
  mark(pid: number, mark: number): void;
}

export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

/** posix_spawn(3). The child gets its own session, default signals, an empty signal mask, and no descriptor but those named here. */
export interface SpawnRequest {
  /** A path, or `/proc/self/fd/N` for a file we hold. */
  readonly file: string;
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  /** An open directory. */
  readonly cwdFd: number;
  /** Who the child is to be, credentials(7); ourselves when absent. Takes root. */
  readonly credentials?: ChildCredentials;
  /** Our number and the child's, in this order. Keep ours above all of the child's: a dup2 onto a source that is still needed swaps files. */
  readonly descriptors: readonly { readonly ours: number; readonly childs: number }[];
}

export interface ChildCredentials {
  readonly uid: number;
  readonly gid: number;
  readonly gids: readonly number[];
}

export type SpawnOutcome = { readonly pid: number } | { readonly errno: number };

export interface ChildStatus {
  readonly exitCode: number | null;
  /** The signal's number. */
  readonly signal: number | null;
}
