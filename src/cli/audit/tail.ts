import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../core/json.ts";
import { AUDIT_FOLLOW_EVERY_MS } from "../../core/limits.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { wholeNumber } from "../flag-values.ts";
import { openJsonLines } from "../json-lines.ts";
import { painter } from "../paint.ts";
import { tellCommand, warn } from "../tell.ts";
import { recordWriter } from "./render-record.ts";
import { type AuditSource, auditSource } from "./source.ts";

const LINES_DEFAULT = 20;

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const source = await auditSource(call);
  const cursor = call.text("cursor");
  const limit = wholeNumber(call, "limit") ?? LINES_DEFAULT;
  const page = await source.tail({ limit, ...(cursor === undefined ? {} : { cursor }) });
  const writer = recordWriter(painter(io.colour), io.stdout.isTTY ? io.columns() : null);
  const say = (record: JsonObject): void => {
    for (const line of writer.lines(record)) io.out(line);
  };
  if (call.has("follow")) {
    const json = call.has("json") ? await openJsonLines(io.stdout) : null;
    const tell = json === null ? say : (record: JsonObject): void => json.write(record);
    for (const record of page.records) tell(record);
    await follow(source, seqOf(page.records.at(-1)), tell, io.signal);
    await json?.close();
    return EXIT.ok;
  }
  if (call.has("json")) io.out(JSON.stringify(page));
  else for (const record of page.records) say(record);
  // On standard error, like the hint below: whoever counts lines counts records.
  if (!call.has("json") && page.records.length === 0 && limit > 0 && cursor === undefined) warn(io, "the log has no records yet");
  if (!call.has("json") && page.next !== null) {
    tellCommand(io, "older ones:", `countersign audit tail${call.has("offline") ? " --offline" : ""} --cursor ${page.next}`);
  }
  return EXIT.ok;
}

async function follow(source: AuditSource, seen: number, say: (record: JsonObject) => void, signal: AbortSignal): Promise<void> {
  let last = seen;
  while (!signal.aborted) {
    await sleep(AUDIT_FOLLOW_EVERY_MS, undefined, { signal }).catch(() => {});
    // Ctrl-C is how this ends, also in the middle of a question.
    const newer = await newerThan(source, last).catch((error: unknown) => {
      if (signal.aborted) return [];
      throw error;
    });
    for (const record of newer) {
      say(record);
      last = seqOf(record);
    }
  }
}

/** Pages come newest first; as many as it takes to reach what was seen. */
async function newerThan(source: AuditSource, seen: number): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await source.tail(cursor === "" ? {} : { cursor });
    const newer = page.records.filter((record) => seqOf(record) > seen);
    found.unshift(...newer);
    cursor = newer.length === page.records.length ? page.next : null;
  }
  return found;
}

function seqOf(record: JsonObject | undefined): number {
  const seq = record?.["seq"];
  return typeof seq === "number" ? seq : 0;
}
