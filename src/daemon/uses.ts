/** Remembers when allowlist entries were last used, and writes it down when things are quiet: a run never waits for the document. */
import type { Denial } from "../core/denial.ts";
import { LAST_USED_COMMAND_CHARS_MAX, USES_FLUSH_IDLE_MS, USES_FLUSH_LATEST_MS, USES_WAITING_MAX } from "../core/limits.ts";
import { ok, type Result } from "../core/result.ts";
import { type EntryUse, withUses } from "../policy/document-edit.ts";
import type { Edit } from "../store/document-file.ts";

export interface Uses {
  record(use: EntryUse): void;
  /** The newest use that is not in the document yet. */
  waiting(key: string): EntryUse | undefined;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export function createUses(change: (edit: Edit) => Promise<Result<unknown, Denial>>): Uses {
  let waiting = new Map<string, EntryUse>();
  let idle: NodeJS.Timeout | null = null;
  let latest: NodeJS.Timeout | null = null;

  async function flush(): Promise<void> {
    for (const timer of [idle, latest]) if (timer !== null) clearTimeout(timer);
    idle = null;
    latest = null;
    if (waiting.size === 0) return;
    const uses = [...waiting.values()];
    waiting = new Map();
    // What cannot be written is only a memory: it is dropped rather than kept for a disk that may never come back.
    await change((document) => ok(withUses(document, uses)));
  }

  return {
    record: (use) => {
      if (!waiting.has(use.key) && waiting.size >= USES_WAITING_MAX) return;
      waiting.set(use.key, { ...use, command: beginningOf(use.command) });
      if (idle === null) idle = setTimeout(() => void flush(), USES_FLUSH_IDLE_MS).unref();
      else idle.refresh();
      latest ??= setTimeout(() => void flush(), USES_FLUSH_LATEST_MS).unref();
    },
    waiting: (key) => waiting.get(key),
    flush,
    stop: flush,
  };
}

/** A character of two halves is not cut in two: half of one has no UTF-8 form, and a document with it in is corrupt. */
function beginningOf(command: string): string {
  return command.slice(0, LAST_USED_COMMAND_CHARS_MAX).replace(/[\ud800-\udbff]$/, "");
}
