/** The journal and what is folded from it. Folding happens in one place, for replayed and for new records alike, before anyone hears of them. */
import type { AuditRecord } from "../approvals/events.ts";
import { emptyLedger, fold, type Ledger } from "../approvals/ledger.ts";
import { restore, snapshotOf } from "../approvals/snapshot.ts";
import { type Journal, openJournal } from "../audit/journal.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type Clock, steadyClock } from "./clock.ts";

export interface OpenLedger {
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

export async function openLedger(directory: string): Promise<Result<OpenLedger, Denial>> {
  const ledger = emptyLedger();
  let whole = true;
  // Until the last durable record is known, the wall clock is all there is.
  let clock: Clock = steadyClock(Date.now, () => performance.now(), 0);
  const onRecord = (record: AuditRecord, when: "replayed" | "live"): void => {
    if (record.type !== "carried") fold(ledger, record, record.at);
    else if (when === "replayed") whole = restore(ledger, record.state) && whole;
  };
  const journal = await openJournal({ directory, now: () => clock.nowMs(), onRecord, snapshot: () => snapshotOf(ledger) });
  if (!journal.ok) return journal;
  if (!whole) {
    await journal.value.close();
    return fail(
      denial("state.corrupt", `the journal in \`${directory}\` begins with a state of another version; use the version that wrote it`, {
        path: directory,
      }),
    );
  }
  clock = steadyClock(Date.now, () => performance.now(), journal.value.latestAtMs);
  return ok({ journal: journal.value, ledger, clock });
}

/** What was started when the last daemon died and never seen to finish: reported, never repeated. */
export async function reportLost({ journal, ledger }: OpenLedger): Promise<Result<number, Denial>> {
  const lost = [...ledger.running];
  for (const [runId, { approvalId }] of lost) {
    const written = await journal.append({ type: "run.lost", runId, approvalId, reason: "lost-to-restart" });
    if (!written.ok) return written;
  }
  return ok(lost.length);
}
