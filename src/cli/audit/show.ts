import { CallError } from "../../client/call-error.ts";
import type { JsonObject } from "../../core/json.ts";
import { APPROVAL_PREFIX_CHARS_MIN } from "../../core/limits.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { factLines } from "../render-facts.ts";
import { recordWriter } from "./render-record.ts";
import { type AuditSource, auditSource } from "./source.ts";

/** Everything the log says about one approval or run, in order; or one record by its number, whole. */
export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const [given = ""] = call.operands;
  const source = await auditSource(call);
  const seq = seqIn(given);
  if (seq === null && given.length < APPROVAL_PREFIX_CHARS_MIN) {
    throw new UsageError(`give a record's number, or at least ${APPROVAL_PREFIX_CHARS_MIN} characters of an id`);
  }
  const all = await everything(source);
  const found = seq === null ? about(given, all) : all.filter((record) => record["seq"] === seq);
  if (found.length === 0)
    throw new CallError("approval.unknown", `the log says nothing about \`${given}\`; see: \`countersign audit tail\``, { id: given });
  if (call.has("json")) {
    io.out(JSON.stringify({ records: found }));
    return EXIT.ok;
  }
  const paint = painter(io.colour);
  const writer = recordWriter(paint, io.stdout.isTTY ? io.columns() : null);
  for (const line of found.flatMap((record) => writer.lines(record))) io.out(line);
  const [only] = found;
  if (found.length === 1 && only !== undefined) for (const line of factLines(only, paint, io.columns(), "    ")) io.out(line);
  return EXIT.ok;
}

/** Eight digits could begin an id as well; a record's number that long is many years away. */
function seqIn(given: string): number | null {
  const digits = /^#?(\d{1,7})$/.exec(given)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** A run is named by its approval in one record and by its own id in the others, so the runs that turn up are followed as well. */
function about(id: string, all: readonly JsonObject[]): readonly JsonObject[] {
  const runs = new Set<string>();
  return all.filter((record) => {
    const { runId, approvalId } = record;
    const named = [record["id"], approvalId, runId].some((each) => typeof each === "string" && each.startsWith(id));
    if (named && typeof runId === "string") runs.add(runId);
    return named || (typeof runId === "string" && runs.has(runId));
  });
}

async function everything(source: AuditSource): Promise<readonly JsonObject[]> {
  const pages: (readonly JsonObject[])[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await source.tail(cursor === "" ? {} : { cursor });
    pages.unshift(page.records);
    cursor = page.next;
  }
  return pages.flat();
}
