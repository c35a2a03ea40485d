import { CallError } from "../../client/call-error.ts";
import type { JsonObject } from "../../core/json.ts";
import { APPROVAL_PREFIX_CHARS_MIN } from "../../core/limits.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { factLines } from "../render-facts.ts";
import { recordLine } from "./render-record.ts";
import { type AuditSource, auditSource } from "./source.ts";

/** Everything the log says about one approval or run, in order; or one record by its number, whole. */
export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const [given = ""] = call.operands;
  const source = await auditSource(call);
  const found = await recordsAbout(source, matcherOf(given));
  if (found.length === 0)
    throw new CallError("approval.unknown", `the log says nothing about \`${given}\`; see countersign audit tail`, { id: given });
  if (call.has("json")) {
    io.out(JSON.stringify({ records: found }));
    return EXIT.ok;
  }
  const paint = painter(io.colour);
  for (const record of found) io.out(recordLine(record, paint));
  const [only] = found;
  if (found.length === 1 && only !== undefined) for (const line of factLines(only, paint, io.columns(), "    ")) io.out(line);
  return EXIT.ok;
}

function matcherOf(given: string): (record: JsonObject) => boolean {
  const number = /^#?(\d{1,15})$/.exec(given)?.[1];
  // Eight digits could begin an id as well; a record's number that long is many years away.
  if (number !== undefined && number.length < APPROVAL_PREFIX_CHARS_MIN) return (record) => record["seq"] === Number(number);
  if (given.length < APPROVAL_PREFIX_CHARS_MIN)
    throw new UsageError(`give a record's number, or at least ${APPROVAL_PREFIX_CHARS_MIN} characters of an id`);
  return (record) => [record["id"], record["approvalId"], record["runId"]].some((id) => typeof id === "string" && id.startsWith(given));
}

async function recordsAbout(source: AuditSource, matches: (record: JsonObject) => boolean): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  // A run is named by its approval in one record and by its own id in the others, so the ids that turn up are looked for as well.
  const runs = new Set<string>();
  const pages: JsonObject[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await source.tail(cursor === "" ? {} : { cursor });
    pages.unshift(...page.records);
    cursor = page.next;
  }
  for (const record of pages) {
    const runId = record["runId"];
    const about = matches(record) || (typeof runId === "string" && runs.has(runId));
    if (about && typeof runId === "string") runs.add(runId);
    if (about) found.push(record);
  }
  return found;
}
