/** How records become lines and lines a chain: each line carries the hash of the one before, so none can be taken out, changed or moved. */
import type { AuditRecord, JournalEvent, Stamp } from "../approvals/events.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { type Sha256, sha256Of } from "../core/sha256.ts";

/** The newest record there is, by number and hash. Numbers start at one. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

export const GENESIS: ChainHead = { seq: 0, hash: "0".repeat(64) };

export interface Link {
  readonly record: AuditRecord;
  /** With its line feed. Text, because all lines of one commit become bytes together. */
  readonly line: string;
  readonly head: ChainHead;
}

/**
 * The stamp comes first on the line, so that a person scanning the file finds number and time in the same place. `body` is the event as
 * JSON, for callers that have it already.
 */
export function linkAfter(head: ChainHead, at: number, event: JournalEvent, body = JSON.stringify(event)): Link {
  const seq = head.seq + 1;
  const line = `{"seq":${seq},"at":${at},"prev":"${head.hash}",${body.slice(1)}`;
  return { record: { seq, at, prev: head.hash, ...event }, line: `${line}\n`, head: { seq, hash: hashOfLine(line) } };
}

/** Of the line's exact bytes, without the line feed. */
export function hashOfLine(line: Uint8Array | string): Sha256 {
  return sha256Of(line);
}

/** The stamp alone: all that a check of the chain needs, whatever version wrote the record. */
export function parseStamp(line: string): (Stamp & { readonly value: JsonObject }) | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const { seq, at, prev } = value;
  if (typeof seq !== "number" || typeof at !== "number" || typeof prev !== "string") return null;
  return { seq, at, prev, value };
}

const SEQ_DIGITS = 16;

/** Named by its first record's number and padded, so that the order of names is the order of records. */
export function segmentName(firstSeq: number): string {
  return `${String(firstSeq).padStart(SEQ_DIGITS, "0")}.jsonl`;
}

export function firstSeqOf(name: string): number | null {
  const digits = /^(\d{16})\.jsonl$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** What a crash left unfinished is kept under the number its first record would have had. */
export function tornName(seq: number): string {
  return `torn-${seq}`;
}

export function tornSeqOf(name: string): number | null {
  const digits = /^torn-(\d{1,16})$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
