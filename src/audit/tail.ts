/** The newest records, a page at a time, read from the end: looking at today must not cost reading the year. */
import { open } from "node:fs/promises";
import type { AuditRecord } from "../approvals/events.ts";
import { parseRecord } from "../approvals/parse-record.ts";
import { type Denial, denial } from "../core/denial.ts";
import { AUDIT_PAGE_BYTES_MAX, PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type Line, readLinesBackwards } from "./lines.ts";
import { listSegments, type Segment } from "./segments.ts";
import type { Bound } from "./verify-chain.ts";

export interface PageRequest {
  readonly limit?: number;
  /** `next` of the page after this one in time. */
  readonly cursor?: string;
}

export interface Page {
  /** The newest last. */
  readonly records: readonly AuditRecord[];
  /** Leads to older ones; `null` when there are none. */
  readonly next: string | null;
}

export async function tailRecords(directory: string, request: PageRequest, bound?: Bound): Promise<Result<Page, Denial>> {
  const limit = Math.min(Math.max(request.limit ?? PAGE_ITEMS_DEFAULT, 1), PAGE_ITEMS_MAX);
  const cursor = request.cursor === undefined ? null : parseCursor(request.cursor);
  if (cursor === "invalid") {
    return fail(denial("wire.invalid-params", "`cursor` is not one of ours; leave it out to begin with the newest", { field: "cursor" }));
  }
  const found: AuditRecord[] = [];
  let bytes = 0;
  for await (const { segment, line } of newestFirst(directory, cursor, bound)) {
    bytes += line.bytes.length;
    if (found.length === limit || (found.length > 0 && bytes > AUDIT_PAGE_BYTES_MAX)) {
      return ok({ records: found.toReversed(), next: `${segment.firstSeq}.${line.end}` });
    }
    const record = parseRecord(line.bytes.toString("utf8"));
    if (!record.ok) {
      const message = `\`${segment.path}\` holds a line that is not a record; run \`countersign audit verify\``;
      return fail(denial("state.corrupt", message, { segment: segment.name, offset: line.start }));
    }
    found.push(withoutState(record.value));
  }
  return ok({ records: found.toReversed(), next: null });
}

interface Cursor {
  readonly firstSeq: number;
  readonly offset: number;
}

function parseCursor(text: string): Cursor | "invalid" {
  const parts = /^(\d{1,15})\.(\d{1,15})$/.exec(text);
  return parts === null ? "invalid" : { firstSeq: Number(parts[1]), offset: Number(parts[2]) };
}

async function* newestFirst(
  directory: string,
  cursor: Cursor | null,
  bound: Bound | undefined,
): AsyncGenerator<{ readonly segment: Segment; readonly line: Omit<Line, "number"> }, void, undefined> {
  const last = cursor?.firstSeq ?? bound?.segment.firstSeq ?? Number.POSITIVE_INFINITY;
  const segments = (await listSegments(directory)).filter(({ firstSeq }) => firstSeq <= last).toReversed();
  // A cursor into a segment that was let go since: the older ones went before it.
  if (cursor !== null && segments[0]?.firstSeq !== cursor.firstSeq) return;
  for (const [index, segment] of segments.entries()) {
    const file = await open(segment.path, "r");
    try {
      const end = index === 0 ? (cursor?.offset ?? bound?.bytes) : undefined;
      const size = (await file.stat()).size;
      for await (const line of readLinesBackwards(file, Math.min(end ?? size, size))) yield { segment, line };
    } finally {
      await file.close();
    }
  }
}

/** The state that a segment begins with repeats what the records before it said, at a length that fits no page. */
function withoutState(record: AuditRecord): AuditRecord {
  return record.type === "carried" ? { ...record, state: {} } : record;
}
