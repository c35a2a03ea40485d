/**
 * Puts lines at the end of the chain, durably or not at all, and moves on to a new segment when the current one is full or can no longer
 * be trusted.
 *
 * When a write fails, the file is cut back to its last durable record and stays in use. When a sync fails, the kernel may have dropped
 * the pages and marked them clean, and a second sync that succeeds proves nothing (fsync(2), EIO): that file is not written again, and
 * the chain goes on in a new one. Until that is possible every commit fails with `state.io`.
 */
import type { FileHandle } from "node:fs/promises";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AuditRecord, JournalEvent } from "../approvals/events.ts";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { ioDenial } from "../store/io-denial.ts";
import { type ChainHead, firstSeqOf, type Link, linkAfter, tornSeqOf } from "./chain.ts";
import type { Entry } from "./commit-queue.ts";
import { writeHead } from "./head-file.ts";
import { createSegment, type Disk, listSegments, type Segment, type SegmentFile, segmentOf } from "./segments.ts";
import type { WaitedForBy } from "./syncing.ts";

export interface Position {
  readonly segment: Segment;
  readonly head: ChainHead;
  /** Everything before this offset is durable. */
  readonly bytes: number;
  readonly carriedBytes: number;
}

export interface WriterOptions {
  readonly directory: string;
  readonly disk: Disk;
  readonly headFile: FileHandle;
  readonly segmentBytesMax: number;
  readonly segmentsKept: number;
  readonly now: () => number;
  readonly onRecord: (record: AuditRecord) => void;
  readonly snapshot: () => JsonObject;
}

export interface ChainWriter {
  commit(entries: readonly Entry[], waitedForBy: WaitedForBy): Promise<Result<readonly AuditRecord[], Denial>>;
  /** A record of the journal's own, ahead of anything queued. */
  note(event: JournalEvent): Promise<Result<void, Denial>>;
  position(): Position;
  close(): Promise<void>;
}

export function writeFrom(start: Position, startFile: SegmentFile, options: WriterOptions): ChainWriter {
  const { directory, disk } = options;
  let here = start;
  let file = startFile;
  let untrusted = false;

  /** From here on these records are facts: the head says so, the fold knows them, and only then does a caller hear of it. */
  function acknowledge(links: readonly Link[], next: Position): readonly AuditRecord[] {
    here = next;
    try {
      writeHead(options.headFile, here.head);
    } catch {
      // A head that could not be written is only an older head, and the next commit writes it again.
    }
    for (const { record } of links) options.onRecord(record);
    return links.map(({ record }) => record);
  }

  async function moveOn(): Promise<void> {
    const left = here;
    if (untrusted) await file.truncate(left.bytes);
    const keepsFrom = await oldestToKeep(options);
    // A full turn after the last acknowledgement: a caller that folds its records when append() resolves has done so by now.
    await new Promise(setImmediate);
    const carried = linkAfter(left.head, options.now(), { type: "carried", keepsFrom, state: options.snapshot() });
    const links = untrusted ? [carried, linkAfter(carried.head, options.now(), abandoned(left))] : [carried];
    const content = bytesOf(links);
    const next = await createSegment(disk, directory, left.head.seq + 1, content);
    await file.close().catch(() => undefined);
    file = next;
    untrusted = false;
    const segment = segmentOf(directory, left.head.seq + 1);
    acknowledge(links, { segment, head: lastHead(links, left.head), bytes: content.length, carriedBytes: Buffer.byteLength(carried.line) });
    // The state it held is carried now. What cannot be removed is removed at the next rotation.
    await dropBefore(directory, keepsFrom).catch(() => undefined);
  }

  async function put(links: readonly Link[], waitedForBy: WaitedForBy): Promise<Result<readonly AuditRecord[], Denial>> {
    const content = bytesOf(links);
    try {
      await file.write(content, here.bytes);
    } catch (error) {
      await cutBack();
      return fail(ioDenial("append to", here.segment.path, error));
    }
    try {
      await file.sync(waitedForBy);
    } catch (error) {
      untrusted = true;
      return fail(ioDenial("make durable what was appended to", here.segment.path, error));
    }
    return ok(acknowledge(links, { ...here, head: lastHead(links, here.head), bytes: here.bytes + content.length }));
  }

  async function cutBack(): Promise<void> {
    try {
      await file.truncate(here.bytes);
      await file.sync();
    } catch {
      untrusted = true;
    }
  }

  async function commit(make: () => readonly Link[], waitedForBy: WaitedForBy): Promise<Result<readonly AuditRecord[], Denial>> {
    // By the size it has, not by the size it would get: a rotation that failed is then tried again before anything else is written.
    if (untrusted || here.bytes - here.carriedBytes >= options.segmentBytesMax) {
      try {
        await moveOn();
      } catch (error) {
        return fail(ioDenial("start a new segment of the journal in", directory, error));
      }
    }
    return put(make(), waitedForBy);
  }

  return {
    commit: (entries, waitedForBy) => commit(() => linkEntries(here.head, entries), waitedForBy),
    async note(event) {
      const done = await commit(() => [linkAfter(here.head, options.now(), event)], "some");
      return done.ok ? ok(undefined) : done;
    },
    position: () => here,
    async close() {
      await file.close();
      await options.headFile.close();
    },
  };
}

function linkEntries(head: ChainHead, entries: readonly Entry[]): readonly Link[] {
  let last = head;
  return entries.map(({ at, event, body }) => {
    const link = linkAfter(last, at, event, body);
    last = link.head;
    return link;
  });
}

function bytesOf(links: readonly Link[]): Buffer {
  let text = "";
  for (const { line } of links) text += line;
  return Buffer.from(text, "utf8");
}

function abandoned({ segment }: Position): JournalEvent {
  return { type: "recovered", reason: "sync-failed", segment: segment.name, tornBytes: 0, movedTo: null };
}

function lastHead(links: readonly Link[], otherwise: ChainHead): ChainHead {
  return links.at(-1)?.head ?? otherwise;
}

/** By bytes and not by number: short segments, as a failing disk leaves them, must not push the history out. */
async function oldestToKeep({ directory, segmentBytesMax, segmentsKept }: WriterOptions): Promise<number> {
  const newestFirst = (await listSegments(directory)).toReversed();
  let keepsFrom = newestFirst[0]?.firstSeq ?? 1;
  let bytes = 0;
  for (const { path, firstSeq } of newestFirst) {
    bytes += (await stat(path)).size;
    if (bytes > segmentBytesMax * segmentsKept) break;
    keepsFrom = firstSeq;
  }
  return keepsFrom;
}

async function dropBefore(directory: string, keepsFrom: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const seq = firstSeqOf(name) ?? tornSeqOf(name);
    if (seq !== null && seq < keepsFrom) await rm(join(directory, name), { force: true });
  }
}
