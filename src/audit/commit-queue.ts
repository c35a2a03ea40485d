/** Group commit: whatever waits while one commit runs goes into the next one together, so that many callers share one sync. */
import type { AppendableEvent, AuditRecord } from "../approvals/events.ts";
import { type Denial, denial } from "../core/denial.ts";
import {
  AUDIT_COMMIT_BYTES_MAX,
  AUDIT_QUEUE_BYTES_MAX,
  AUDIT_QUEUE_RECORDS_MAX,
  AUDIT_UNAWAITED_MS,
  SYNC_HERE_BYTES_MAX,
  SYNC_HERE_CROWD_MIN,
} from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { WaitedForBy } from "./syncing.ts";

export interface Entry {
  readonly event: AppendableEvent;
  /** The event as JSON: made once, when it is queued, because its size counts. */
  readonly body: string;
  readonly bytes: number;
  readonly at: number;
}

/** One record for each entry, in order; or none of them happened. */
export type Commit = (entries: readonly Entry[], waitedForBy: WaitedForBy) => Promise<Result<readonly AuditRecord[], Denial>>;

export type Urgency = "awaited" | "unawaited";

export interface CommitQueue {
  /**
   * What nobody waits for must not be in the way of what somebody does: it may fill half of the queue, and it asks for no sync of its own as
   * long as one is coming. Otherwise the end of one run would be synced just when the next one wants to begin, and that one would wait.
   */
  add(entry: Entry, urgency: Urgency): Promise<Result<AuditRecord, Denial>>;
  /** Resolves when everything that was added until now has had its answer. */
  flush(): Promise<void>;
  /** Resolves when nothing is queued or under way. */
  settled(): Promise<void>;
}

interface Waiting {
  readonly urgency: Urgency;
  readonly entry: Entry;
  readonly answer: (outcome: Result<AuditRecord, Denial>) => void;
}

export function createCommitQueue(commit: Commit): CommitQueue {
  let waiting: Waiting[] = [];
  let records = 0;
  let bytes = 0;
  let running: Promise<void> | null = null;
  let latestCount = 0;
  let latest: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;

  function start(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    running ??= run();
  }

  async function run(): Promise<void> {
    // A moment later, so that everything asked for in this turn shares the first commit too. Whoever was answered together mostly asks
    // together again, and not all of them in the same moment: then it is a turn of the loop.
    await (latestCount > 1 ? new Promise(setImmediate) : Promise.resolve());
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchLength(waiting));
      waiting = waiting.slice(batch.length);
      latestCount = batch.length;
      const waitedForBy = isForAll(batch) && waiting.length === 0 ? "all" : "some";
      const outcome = await commit(
        batch.map(({ entry }) => entry),
        waitedForBy,
      );
      for (const [index, { entry, answer }] of batch.entries()) {
        records -= 1;
        bytes -= entry.bytes;
        answer(outcomeOf(outcome, index));
      }
    }
    running = null;
  }

  return {
    async add(entry, urgency) {
      const part = urgency === "awaited" ? 1 : 2;
      if (records >= AUDIT_QUEUE_RECORDS_MAX / part || bytes + entry.bytes > AUDIT_QUEUE_BYTES_MAX / part) {
        return fail(denial("overloaded", "the audit journal cannot keep up; try again later", { waiting: records }));
      }
      records += 1;
      bytes += entry.bytes;
      const answered = new Promise<Result<AuditRecord, Denial>>((answer) => waiting.push({ urgency, entry, answer }));
      latest = answered;
      if (urgency === "awaited") start();
      else timer ??= setTimeout(start, AUDIT_UNAWAITED_MS);
      return answered;
    },
    async flush() {
      start();
      await latest;
    },
    async settled() {
      start();
      await running;
    },
  };
}

/**
 * One who waits is alone, and as many as come in one turn of a busy loop are mostly all there are; a few in between have come from a crowd
 * that goes on working. Much of what nobody waits for takes the disk longer than the last little did.
 */
function isForAll(batch: readonly Waiting[]): boolean {
  let awaited = 0;
  let bytes = 0;
  for (const { urgency, entry } of batch) {
    if (urgency === "awaited") awaited += 1;
    bytes += entry.bytes;
  }
  return (awaited === 1 || awaited >= SYNC_HERE_CROWD_MIN) && bytes <= SYNC_HERE_BYTES_MAX;
}

function batchLength(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const over = waiting.findIndex(({ entry }) => {
    bytes += entry.bytes;
    return bytes > AUDIT_COMMIT_BYTES_MAX;
  });
  return over < 0 ? waiting.length : Math.max(over, 1);
}

function outcomeOf(outcome: Result<readonly AuditRecord[], Denial>, index: number): Result<AuditRecord, Denial> {
  if (!outcome.ok) return outcome;
  const record = outcome.value[index];
  if (record === undefined) throw new Error("a commit answered with fewer records than it was given");
  return ok(record);
}
