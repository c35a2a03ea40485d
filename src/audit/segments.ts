/** The files of the chain, and the few disk calls the journal makes on them, in one place so that a test can let each of them fail. */
import { constants, fdatasync, fdatasyncSync, writeSync } from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../store/replace.ts";
import { firstSeqOf, segmentName } from "./chain.ts";
import { createSyncing, type WaitedForBy } from "./syncing.ts";

export interface Segment {
  readonly name: string;
  readonly path: string;
  readonly firstSeq: number;
}

export interface SegmentFile {
  /** Writes all of it at this offset or throws. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** fdatasync(2): the bytes and the length are on the disk. */
  sync(waitedForBy?: WaitedForBy): Promise<void>;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

export interface Disk {
  openSegment(path: string, how: "new" | "existing"): Promise<SegmentFile>;
}

export const realDisk: Disk = {
  async openSegment(path, how) {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const file = await open(path, how === "new" ? O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW : O_RDWR | O_NOFOLLOW, 0o600);
    // The umask may have taken bits away.
    if (how === "new") await file.chmod(0o600);
    const syncing = createSyncing({
      here: () => fdatasyncSync(file.fd),
      // The callback form: a FileHandle's own takes a good part of the time that a quick disk needs for the sync itself.
      beside: () =>
        new Promise((resolve, reject) => {
          fdatasync(file.fd, (error) => (error === null ? resolve() : reject(error)));
        }),
      nowMs: () => performance.now(),
    });
    return {
      // Into the page cache, which takes less time than a trip to another thread would; the sync is what has to be waited for.
      async write(bytes, position) {
        // A full disk shows as a short write first and as ENOSPC on the next one.
        for (let done = 0; done < bytes.length; ) done += writeSync(file.fd, bytes, done, bytes.length - done, position + done);
      },
      sync: (waitedForBy = "some") => syncing(waitedForBy),
      truncate: (bytes) => file.truncate(bytes),
      close: () => file.close(),
    };
  },
};

export function segmentOf(directory: string, firstSeq: number): Segment {
  const name = segmentName(firstSeq);
  return { name, path: join(directory, name), firstSeq };
}

/** Oldest first. */
export async function listSegments(directory: string): Promise<readonly Segment[]> {
  const names = await readdir(directory);
  return names
    .map(firstSeqOf)
    .filter((seq) => seq !== null)
    .sort((a, b) => a - b)
    .map((seq) => segmentOf(directory, seq));
}

/**
 * A segment appears under its name with its first records in it and on the disk, or not at all: a crash leaves at most the temporary
 * file, which the next start removes.
 */
export async function createSegment(disk: Disk, directory: string, firstSeq: number, content: Uint8Array): Promise<SegmentFile> {
  const segment = segmentOf(directory, firstSeq);
  const temporary = join(directory, TEMPORARY);
  await rm(temporary, { force: true });
  let file: SegmentFile | null = null;
  try {
    file = await disk.openSegment(temporary, "new");
    await file.write(content, 0);
    await file.sync();
    await rename(temporary, segment.path);
    await syncDirectory(directory);
    return file;
  } catch (error) {
    await file?.close().catch(() => undefined);
    // A name that is there although its directory could not be synced would be taken for the newest segment after a crash.
    await rm(segment.path, { force: true }).catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

export async function removeTemporary(directory: string): Promise<void> {
  await rm(join(directory, TEMPORARY), { force: true });
}

const TEMPORARY = "next-segment.tmp";
