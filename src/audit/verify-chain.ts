/** Reads the whole chain and says whether anything was deleted, edited, reordered or cut off, and where; or whether a crash tore its end. */
import { open } from "node:fs/promises";
import { errnoOf } from "../store/io-denial.ts";
import { type ChainHead, GENESIS, parseStamp } from "./chain.ts";
import { complain, endWalk, enterSegment, type Place, type Problem, startWalk, type Walk, walkLine } from "./chain-walk.ts";
import { readHead } from "./head-file.ts";
import { looksTorn, readLines } from "./lines.ts";
import { listSegments, type Segment } from "./segments.ts";

export interface ChainReport {
  /** `torn` is a crash's mark and no one's doing: the unfinished tail had not been acknowledged. */
  readonly verdict: "intact" | "torn" | "tampered" | "empty";
  readonly segments: number;
  readonly records: number;
  readonly head: ChainHead;
  readonly torn: (Place & { readonly bytes: number }) | null;
  readonly problems: readonly Problem[];
}

/** For a journal that is being written to: nothing after this point is looked at. */
export interface Bound {
  readonly segment: Segment;
  readonly bytes: number;
}

const ATTEMPTS = 3;

export async function verifyChain(directory: string, bound?: () => Bound): Promise<ChainReport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await verifyOnce(directory, bound);
    } catch (error) {
      // A rotation let the oldest segment go while it was being read.
      if (errnoOf(error) !== "ENOENT" || attempt === ATTEMPTS) throw error;
    }
  }
}

async function verifyOnce(directory: string, bound?: () => Bound): Promise<ChainReport> {
  // The head first: whatever it names is then in the segments, however much is appended meanwhile.
  const known = await readHead(directory);
  const last = bound?.();
  const segments = (await listSegments(directory)).filter(({ firstSeq }) => last === undefined || firstSeq <= last.segment.firstSeq);
  const walk = startWalk(typeof known === "string" ? null : known);
  for (const [index, segment] of segments.entries()) {
    await walkSegment(walk, segment, segments[index + 1] ?? null, segment.name === last?.segment.name ? last.bytes : undefined);
  }
  endWalk(walk, segments, known);
  const { records, torn, problems } = walk;
  const verdict = problems.length > 0 ? "tampered" : torn !== null ? "torn" : segments.length === 0 || records === 0 ? "empty" : "intact";
  return { verdict, segments: segments.length, records, head: { seq: walk.seq, hash: walk.hash ?? GENESIS.hash }, torn, problems };
}

async function walkSegment(walk: Walk, segment: Segment, next: Segment | null, end?: number): Promise<void> {
  const file = await open(segment.path, "r");
  try {
    enterSegment(walk, segment.firstSeq);
    for await (const line of readLines(file, end)) {
      const place = { segment: segment.name, line: line.number };
      if (next !== null && walk.seq >= next.firstSeq - 1) {
        if (!(await wasAbandoned(segment, next))) complain(walk, place, "was added after the segment had ended");
        return;
      }
      if (looksTorn(line) && next === null) {
        const size = Math.min((await file.stat()).size, end ?? Number.POSITIVE_INFINITY);
        walk.torn = { ...place, bytes: size - line.start };
        return;
      }
      walkLine(walk, place, line.bytes);
    }
  } finally {
    await file.close();
  }
}

/** After a failed sync the journal goes on in a new segment and says so; what the disk kept of the old tail was never acknowledged. */
async function wasAbandoned(segment: Segment, next: Segment): Promise<boolean> {
  const file = await open(next.path, "r");
  try {
    for await (const line of readLines(file)) {
      const value = parseStamp(line.bytes.toString("utf8"))?.value;
      if (value?.["type"] === "recovered") return value["reason"] === "sync-failed" && value["segment"] === segment.name;
      if (value?.["type"] !== "carried") return false;
    }
    return false;
  } finally {
    await file.close();
  }
}
