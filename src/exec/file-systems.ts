/** What a file lies on decides what its bytes and timestamps are worth. */
import { type StatsFs, statfsSync, statSync } from "node:fs";
import { type AbsolutePath, isInside, ROOT, resolvePath } from "../core/absolute-path.ts";

/** linux/magic.h. What these hold is made up at each read, and belongs to whoever reads it. */
const MADE_UP: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x1cd1, // devpts
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x73636673, // securityfs
  0x62656570, // configfs
  0x42494e4d, // binfmt_misc
  0xcafe4a11, // bpf
  0x6165676c, // pstore
  0xde5e81e4, // efivarfs
  0x19800202, // mqueue
  0x65735543, // fusectl
  0xf97cff8c, // selinuxfs
]);

/** On these every store through a mapping made after a look moves the ctime; on tmpfs, FUSE and network file systems it need not. */
const TIMES_TELL: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
]);

/**
 * A lease is refused while somebody has the file mapped for writing, as it must be, on the file systems above and on tmpfs. On overlayfs,
 * which containers live on, it is granted: the mapping is of the layer below, and goes on writing under the lease.
 */
const TMPFS = 0x01021994;

export interface FileSystem {
  /** procfs, sysfs, devfs and their like. */
  readonly isMadeUp: boolean;
  readonly timesTell: boolean;
  readonly leasesHold: boolean;
}

/** Of an open file, whose canonical path is `path`. `null` where the kernel does not say. */
export function fileSystemOf(fd: number, path: AbsolutePath, device: bigint): FileSystem | null {
  // devtmpfs goes by the number of tmpfs, so it is known by its place. /dev/shm is a file system of its own.
  const isDevice = isInside(path, DEV) && device === statSync(DEV, { bigint: true }).dev;
  // Magic numbers mean nothing elsewhere.
  if (process.platform !== "linux") return { isMadeUp: isDevice, timesTell: false, leasesHold: false };
  const found = statfsOf(`/proc/self/fd/${fd}`) ?? statfsOf(path);
  if (found === null) return null;
  const timesTell = TIMES_TELL.has(found.type);
  return { isMadeUp: isDevice || MADE_UP.has(found.type), timesTell, leasesHold: timesTell || found.type === TMPFS };
}

const DEV = resolvePath(ROOT, "dev");

function statfsOf(path: string): StatsFs | null {
  try {
    return statfsSync(path);
  } catch {
    return null;
  }
}
