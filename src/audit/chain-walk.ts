/** One step of checking the chain: does this line follow from the one before, and if not, which of the two is the forged one. */
import { type ChainHead, GENESIS, hashOfLine, parseStamp } from "./chain.ts";
import type { Segment } from "./segments.ts";

export interface Place {
  readonly segment: string;
  readonly line: number;
}

export interface Problem extends Place {
  readonly what: string;
}

export interface Walk {
  /** The last line's number and hash; no hash when nothing can be said about it. */
  seq: number;
  hash: string | null;
  at: Place | null;
  /** Two neighbours that do not fit together. The line after them, or the head, knows whether the second is genuine. */
  doubt: { readonly before: Place; readonly here: Place } | null;
  records: number;
  /** The oldest record that must still be there. */
  keepsFrom: number;
  torn: (Place & { readonly bytes: number }) | null;
  readonly known: ChainHead | null;
  readonly problems: Problem[];
}

const PROBLEMS_MAX = 32;
const EDITED = "was edited";

export function startWalk(known: ChainHead | null): Walk {
  return { ...GENESIS, at: null, doubt: null, records: 0, keepsFrom: 1, torn: null, known, problems: [] };
}

/** What came before the oldest segment was let go; whether it may have been is asked at the end. */
export function enterSegment(walk: Walk, firstSeq: number): void {
  if (walk.at === null && firstSeq > 1) Object.assign(walk, { seq: firstSeq - 1, hash: null });
}

export function walkLine(walk: Walk, place: Place, bytes: Buffer): void {
  const stamp = parseStamp(bytes.toString("utf8"));
  const hash = hashOfLine(bytes);
  if (walk.doubt !== null) {
    const { before, here } = walk.doubt;
    const hereIsGenuine = stamp?.prev === walk.hash;
    complain(walk, hereIsGenuine ? before : here, EDITED);
    // The forged line was named; that its successor does not fit it is the same fault.
    if (!hereIsGenuine) walk.hash = null;
    walk.doubt = null;
  }
  if (stamp === null) {
    complain(walk, place, "is not a record");
    return step(walk, place, walk.seq + 1, null);
  }
  const expected = walk.seq + 1;
  if (stamp.seq > expected) complain(walk, place, `comes too soon: ${missing(expected, stamp.seq - 1)} before it`);
  else if (stamp.seq < expected) complain(walk, place, `is out of order: it has number ${stamp.seq} where ${expected} belongs`);
  else if (walk.hash !== null && stamp.prev !== walk.hash) walk.doubt = { before: walk.at ?? place, here: place };
  if (stamp.seq === walk.known?.seq && hash !== walk.known.hash && walk.doubt === null)
    complain(walk, place, `${EDITED}: \`head\` has another hash`);
  const { type, keepsFrom } = stamp.value;
  if (type === "carried" && typeof keepsFrom === "number") walk.keepsFrom = keepsFrom;
  step(walk, place, stamp.seq, hash);
}

export function endWalk(walk: Walk, segments: readonly Segment[], found: ChainHead | "none" | "broken"): void {
  const end = walk.at ?? { segment: segments[0]?.name ?? "head", line: 0 };
  if (walk.doubt !== null) {
    const genuine = walk.seq === walk.known?.seq && walk.hash === walk.known.hash;
    complain(walk, genuine ? walk.doubt.before : walk.doubt.here, EDITED);
  }
  const oldest = segments[0];
  if (oldest !== undefined && oldest.firstSeq > walk.keepsFrom) {
    complain(walk, { segment: oldest.name, line: 1 }, `comes too soon: ${missing(walk.keepsFrom, oldest.firstSeq - 1)} before it`);
  }
  if (typeof found === "string") {
    if (segments.length > 0) complain(walk, end, `cannot be known for the last: \`head\` is ${found === "none" ? "missing" : "broken"}`);
  } else if (walk.seq < found.seq) {
    complain(walk, end, `is the last, but the chain was cut off: ${missing(walk.seq + 1, found.seq)} after it`);
  }
}

export function complain(walk: Walk, place: Place, what: string): void {
  if (walk.problems.length < PROBLEMS_MAX) walk.problems.push({ ...place, what });
}

function step(walk: Walk, at: Place, seq: number, hash: string | null): void {
  Object.assign(walk, { at, seq, hash, records: walk.records + 1 });
}

function missing(from: number, to: number): string {
  return from === to ? `record ${from} is missing` : `records ${from} to ${to} are missing`;
}
