/** `approvals/<id>.json`: what each question was about. The journal has the hash of every one, so an edited record is as good as none. */
import { readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ApprovalRecord, isApprovalRecord } from "../approvals/record.ts";
import type { Denial } from "../core/denial.ts";
import type { ApprovalId } from "../core/ids.ts";
import { RECORDS_CACHED_BYTES_MAX } from "../core/limits.ts";
import { ok, type Result } from "../core/result.ts";
import { type Sha256, sha256Of } from "../core/sha256.ts";
import { replaceFile } from "./replace.ts";
import { openScriptTexts, type ScriptTexts } from "./script-texts.ts";

export interface RecordFiles {
  /** The scripts a question is about, beside its record and as long as it. */
  readonly texts: ScriptTexts;
  /** Durable when it resolves; the hash is of the file's exact bytes. */
  keep(record: ApprovalRecord): Promise<Result<Sha256, Denial>>;
  /** `undefined` when it is gone or is not what the journal says it was. */
  read(id: ApprovalId, expected: Sha256): ApprovalRecord | undefined;
  drop(ids: readonly ApprovalId[]): Promise<void>;
  /** Removes what a crash left between writing a record and asking the question. */
  sweep(isKnown: (name: string) => boolean): Promise<void>;
}

interface Cached {
  readonly record: ApprovalRecord;
  readonly sha256: Sha256;
  readonly bytes: number;
}

export function openRecordFiles(directory: string): RecordFiles {
  // In order of use: the least recently used comes first.
  const cache = new Map<ApprovalId, Cached>();
  let cachedBytes = 0;
  const fileOf = (id: string): string => join(directory, `${id}.json`);

  function forget(id: ApprovalId): void {
    cachedBytes -= cache.get(id)?.bytes ?? 0;
    cache.delete(id);
  }

  function remember(record: ApprovalRecord, sha256: Sha256, bytes: number): void {
    forget(record.id);
    cache.set(record.id, { record, sha256, bytes });
    cachedBytes += bytes;
    for (const id of cache.keys()) {
      if (cachedBytes <= RECORDS_CACHED_BYTES_MAX) return;
      forget(id);
    }
  }

  const texts = openScriptTexts(directory);
  return {
    texts,
    async keep(record) {
      const content = Buffer.from(`${JSON.stringify(record)}\n`, "utf8");
      const written = await replaceFile(fileOf(record.id), content);
      if (!written.ok) return written;
      const sha256 = sha256Of(content);
      remember(record, sha256, content.length);
      if (record.parts !== null) await texts.keep(record.id, record.parts);
      return ok(sha256);
    },
    read(id, expected) {
      const known = cache.get(id);
      if (known !== undefined && known.sha256 === expected) {
        remember(known.record, known.sha256, known.bytes);
        return known.record;
      }
      const found = readRecord(fileOf(id), expected);
      if (found !== undefined) remember(found.record, expected, found.bytes);
      return found?.record;
    },
    async drop(ids) {
      for (const id of ids) {
        forget(id);
        await rm(fileOf(id), { force: true });
        await texts.drop(id);
      }
    },
    async sweep(isKnown) {
      await texts.sweep(isKnown);
      for (const name of await readdir(directory)) {
        if (name.endsWith(".json") && !isKnown(name.slice(0, -".json".length))) await rm(join(directory, name), { force: true });
      }
    },
  };
}

function readRecord(path: string, expected: Sha256): { readonly record: ApprovalRecord; readonly bytes: number } | undefined {
  try {
    const content = readFileSync(path);
    if (sha256Of(content) !== expected) return undefined;
    const value: unknown = JSON.parse(content.toString("utf8"));
    return isApprovalRecord(value) ? { record: value, bytes: content.length } : undefined;
  } catch {
    // Unreadable counts as changed: an approval that cannot be checked is one we do not have.
    return undefined;
  }
}
