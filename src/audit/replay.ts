/**
 * Reads the newest segment back at start. Every segment begins with all live state, so the newest is all the fold needs; whether the
 * older ones still fit is the business of verify-chain.ts.
 */
import { open } from "node:fs/promises";
import type { AuditRecord } from "../approvals/events.ts";
import { parseRecord } from "../approvals/parse-record.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type ChainHead, GENESIS, hashOfLine } from "./chain.ts";
import { type Line, looksTorn, readLines } from "./lines.ts";
import type { Segment } from "./segments.ts";

export interface Replayed {
  readonly head: ChainHead;
  /** Up to the end of the last good record. */
  readonly bytes: number;
  /** Of the `carried` records it begins with: they do not count towards its size limit. */
  readonly carriedBytes: number;
  readonly latestAtMs: number;
  /** Where an unfinished tail begins, if a crash left one. */
  readonly torn: { readonly line: number; readonly start: number } | null;
}

export async function replaySegment(
  segment: Segment,
  known: ChainHead,
  onRecord: (record: AuditRecord) => void,
): Promise<Result<Replayed, Denial>> {
  const file = await open(segment.path, "r");
  try {
    let found: Replayed = { head: GENESIS, bytes: 0, carriedBytes: 0, latestAtMs: 0, torn: null };
    for await (const line of readLines(file)) {
      if (looksTorn(line)) {
        found = { ...found, torn: { line: line.number, start: line.start } };
        break;
      }
      const record = parseRecord(line.bytes.toString("utf8"));
      if (!record.ok) return fail(corrupt(segment, line, "is not a record this version knows"));
      const { seq, prev, at, type } = record.value;
      if (seq !== (line.number === 1 ? segment.firstSeq : found.head.seq + 1)) return fail(corrupt(segment, line, "is out of order"));
      if (line.number > 1 && prev !== found.head.hash) return fail(corrupt(segment, line, "does not follow from the line before"));
      if (line.number === 1 && seq > 1 && type !== "carried") return fail(corrupt(segment, line, "should carry the state and does not"));
      const head = { seq, hash: hashOfLine(line.bytes) };
      if (seq === known.seq && head.hash !== known.hash) return fail(corrupt(segment, line, "is not what `head` says it was"));
      const carriedBytes = type === "carried" && found.carriedBytes === line.start ? line.end : found.carriedBytes;
      found = { ...found, head, bytes: line.end, carriedBytes, latestAtMs: Math.max(found.latestAtMs, at) };
      onRecord(record.value);
    }
    // Everything that `head` names had been acknowledged, so a crash cannot have taken it.
    if (found.head.seq < known.seq) return fail(cutOff(segment, found, known));
    return ok(found);
  } finally {
    await file.close();
  }
}

function corrupt(segment: Segment, line: Line, what: string): Denial {
  const where = { segment: segment.name, line: line.number };
  return denial("state.corrupt", `line ${line.number} of \`${segment.path}\` ${what}; run \`countersign audit verify\``, where);
}

function cutOff(segment: Segment, found: Replayed, known: ChainHead): Denial {
  const message = `\`${segment.path}\` ends with record ${found.head.seq}, but record ${known.seq} was written; run \`countersign audit verify\``;
  return denial("state.corrupt", message, { segment: segment.name, found: found.head.seq, expected: known.seq });
}
