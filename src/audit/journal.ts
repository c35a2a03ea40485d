/**
 * The append-only chain of everything that happened, and the one place where "durable" is decided: an approval is spent when its
 * `run.starting` is here, and not before.
 *
 *   append() ─┐                                              ┌─ onRecord() for each, in order
 *   append() ─┼─ commit-queue ─ chain-writer: write, sync, head ─┤
 *   append() ─┘                                              └─ then each append() resolves
 */
import { type FileHandle, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AppendableEvent, AuditRecord } from "../approvals/events.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { AUDIT_LINE_BYTES_MAX, AUDIT_SEGMENT_BYTES_MAX, AUDIT_SEGMENTS_KEPT } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { ioDenial } from "../store/io-denial.ts";
import { replaceFile, syncDirectory } from "../store/replace.ts";
import { type ChainHead, GENESIS, tornName } from "./chain.ts";
import { type ChainWriter, type WriterOptions, writeFrom } from "./chain-writer.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { openHeadFile, readHead, writeHead } from "./head-file.ts";
import { type Replayed, replaySegment } from "./replay.ts";
import {
  createSegment,
  type Disk,
  listSegments,
  realDisk,
  removeTemporary,
  type Segment,
  type SegmentFile,
  segmentOf,
} from "./segments.ts";
import { type Page, type PageRequest, tailRecords } from "./tail.ts";
import { type ChainReport, verifyChain } from "./verify-chain.ts";

export interface JournalOptions {
  /** `audit/` of the state directory. One journal at a time: the instance lock sees to that. */
  readonly directory: string;
  readonly now: () => number;
  /** Called once for every record, in order: for those of the newest segment while it opens, then for each as soon as it is durable. */
  readonly onRecord: (record: AuditRecord, when: "replayed" | "live") => void;
  /** Everything that must outlive old segments; comes back as the first record that a later start replays. */
  readonly snapshot: () => JsonObject;
  readonly disk?: Disk;
  readonly segmentBytesMax?: number;
  readonly segmentsKept?: number;
}

export interface Journal {
  /** Resolves when the record is durable; a failure means that it never happened. */
  append(event: AppendableEvent): Promise<Result<Appended, Denial>>;
  /** For what nobody waits for. What cannot be kept is counted, and a `security.event` says how much it was. */
  appendLater(event: AppendableEvent): void;
  tail(page: PageRequest): Promise<Result<Page, Denial>>;
  verify(): Promise<ChainReport>;
  head(): ChainHead;
  /** The latest time any replayed record bears: after a restart the clock must not be believed to be earlier. */
  readonly latestAtMs: number;
  /** Refuses what comes after, finishes what came before. */
  close(): Promise<void>;
}

export interface Appended {
  readonly seq: number;
  readonly atMs: number;
}

export async function openJournal(options: JournalOptions): Promise<Result<Journal, Denial>> {
  try {
    return await openOnDisk(options);
  } catch (error) {
    return fail(ioDenial("open the journal in", options.directory, error));
  }
}

async function openOnDisk(options: JournalOptions): Promise<Result<Journal, Denial>> {
  const { directory } = options;
  const disk = options.disk ?? realDisk;
  const known = await readHead(directory);
  await removeTemporary(directory);
  const newest = (await listSegments(directory)).at(-1);
  if (newest === undefined) {
    if (typeof known !== "string" && known.seq > 0)
      return fail(tampered(directory, `record ${known.seq} was written and no segment is there`));
    // The head first: a segment without one has no honest explanation, so there must be no instant at which a crash can leave that.
    const headFile = await startHead(directory, GENESIS);
    const file = await createSegment(disk, directory, 1, Buffer.alloc(0));
    return ok(
      journalOver(writeFrom({ segment: segmentOf(directory, 1), ...EMPTY }, file, writerOptions(options, disk, headFile)), options, EMPTY),
    );
  }
  if (typeof known === "string") return fail(tampered(directory, "its `head` is missing or broken"));
  const replayed = await replaySegment(newest, known, (record) => options.onRecord(record, "replayed"));
  if (!replayed.ok) return replayed;
  const file = await disk.openSegment(newest.path, "existing");
  const headFile = await startHead(directory, replayed.value.head);
  const writer = writeFrom({ segment: newest, ...replayed.value }, file, writerOptions(options, disk, headFile));
  if (replayed.value.torn !== null) {
    const mended = await setTornAside(newest, replayed.value, file, writer);
    if (!mended.ok) return mended;
  }
  return ok(journalOver(writer, options, replayed.value));
}

const EMPTY: Replayed = { head: GENESIS, bytes: 0, carriedBytes: 0, latestAtMs: 0, torn: null };

function writerOptions(options: JournalOptions, disk: Disk, headFile: FileHandle): WriterOptions {
  const { directory, now, snapshot, segmentBytesMax = AUDIT_SEGMENT_BYTES_MAX, segmentsKept = AUDIT_SEGMENTS_KEPT } = options;
  const onRecord = (record: AuditRecord): void => options.onRecord(record, "live");
  return { directory, disk, headFile, segmentBytesMax, segmentsKept, now, snapshot, onRecord };
}

/** Synced here and at no other time: from now on there is a whole head on the disk, and later ones replace it in place. */
async function startHead(directory: string, head: ChainHead): Promise<FileHandle> {
  const file = await openHeadFile(directory);
  writeHead(file, head);
  await file.sync();
  await syncDirectory(directory);
  return file;
}

/** Copied and durable before it is cut off, so that a second crash here loses nothing either. */
async function setTornAside(segment: Segment, found: Replayed, file: SegmentFile, writer: ChainWriter): Promise<Result<void, Denial>> {
  const tail = (await readFile(segment.path)).subarray(found.bytes);
  const movedTo = tornName(found.head.seq + 1);
  const copied = await replaceFile(join(dirname(segment.path), movedTo), tail);
  if (!copied.ok) return copied;
  await file.truncate(found.bytes);
  await file.sync();
  return writer.note({ type: "recovered", reason: "torn", segment: segment.name, tornBytes: tail.length, movedTo });
}

function journalOver(writer: ChainWriter, options: JournalOptions, replayed: Replayed): Journal {
  const queue = createCommitQueue((entries, waitedForBy) => writer.commit(entries, waitedForBy));
  let closed = false;
  let dropped = 0;

  async function add(event: AppendableEvent, urgency: "awaited" | "unawaited"): Promise<Result<Appended, Denial>> {
    if (closed) return fail(denial("shutting-down", "the journal is closed; try again when the daemon is back"));
    const body = JSON.stringify(event);
    const bytes = Buffer.byteLength(body);
    if (bytes > AUDIT_LINE_BYTES_MAX) {
      const message = `the record of this would have ${bytes} bytes, at most ${AUDIT_LINE_BYTES_MAX} fit; shorten the command`;
      return fail(denial("display.too-long", message, { bytes, limit: AUDIT_LINE_BYTES_MAX }));
    }
    const added = await queue.add({ event, body, bytes, at: options.now() }, urgency);
    return added.ok ? ok({ seq: added.value.seq, atMs: added.value.at }) : added;
  }

  async function addLater(event: AppendableEvent): Promise<void> {
    const added = await add(event, "unawaited");
    if (!added.ok) {
      dropped += 1;
    } else if (dropped > 0) {
      const count = dropped;
      dropped = 0;
      const told = await add({ type: "security.event", details: { kind: "records-dropped", count } }, "unawaited");
      if (!told.ok) dropped += count;
    }
  }

  return {
    append: (event) => add(event, "awaited"),
    appendLater: (event) => void addLater(event),
    async tail(page) {
      // Whoever looks sees everything that has happened by now.
      await queue.flush();
      return tailRecords(options.directory, page, writer.position());
    },
    async verify() {
      await queue.flush();
      return verifyChain(options.directory, () => writer.position());
    },
    head: () => writer.position().head,
    latestAtMs: replayed.latestAtMs,
    async close() {
      closed = true;
      await queue.settled();
      await writer.close();
    },
  };
}

function tampered(directory: string, what: string): Denial {
  return denial("state.corrupt", `the journal in \`${directory}\` is not whole: ${what}; run \`countersign audit verify\``, {
    path: directory,
  });
}
