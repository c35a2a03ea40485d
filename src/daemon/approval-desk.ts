import { admit, type Wanted } from "../approvals/admit.ts";
import { type Approval, settledAtMs } from "../approvals/approval.ts";
import type { AppendableEvent, Decision } from "../approvals/events.ts";
import { findApproval } from "../approvals/find.ts";
import type { Ledger } from "../approvals/ledger.ts";
import { type Allowed, cancellable, resolution, spendable } from "../approvals/transition.ts";
import type { CancelSignal } from "../core/cancellation.ts";
import type { Denial } from "../core/denial.ts";
import type { ApprovalId } from "../core/ids.ts";
import { ok, type Result } from "../core/result.ts";
import type { Sha256 } from "../core/sha256.ts";
import type { Clock } from "./clock.ts";
import { createTurns } from "./turns.ts";

/** Where questions are put, answered and used up. Every change is durable in the journal before it is folded, and folded before it is told. */
export interface ApprovalDesk {
  readonly ledger: Ledger;
  /** `fresh` is false when the same question, by its request key, was asked before. */
  request(question: Question): Promise<Result<{ readonly approval: Approval; readonly fresh: boolean }, Denial>>;
  resolve(id: string, answer: DeskAnswer): Promise<Result<Approval, Denial>>;
  cancel(id: string, by: string): Promise<Result<Approval, Denial>>;
  /** Resolves when the approval is no longer pending; gives up with the approval as it is when `signal` fires. */
  settled(id: ApprovalId, signal: CancelSignal): Promise<Approval | null>;
  /** Writes `starting` for this approval and takes it off the table; whoever comes second is told who was first. */
  spend(id: ApprovalId, starting: (approval: Allowed) => AppendableEvent): Promise<Result<Allowed, Denial>>;
  /** Keeps nobody waiting any longer; what is pending stays pending for the next start. */
  stop(): void;
}

export interface Question extends Wanted {
  readonly sessionKey: string;
  readonly command: string;
  readonly timeoutMs: number;
  /** Nobody is there to answer: it expires at once and silence costs nobody two minutes. */
  readonly hasRoute: boolean;
  /** Writes `approvals/<id>.json` and gives back the hash of its bytes. */
  keep(id: ApprovalId): Promise<Result<Sha256, Denial>>;
}

export interface DeskAnswer {
  readonly decision: Decision;
  readonly by: string;
  readonly reason: string | null;
  /** Called once the answer is known to be the first, before it is durable: an allow-always stores its patterns here. */
  before(approval: Approval): Promise<Result<void, Denial>>;
}

export interface DeskParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  newId(): ApprovalId;
  /** When it resolves the event is durable, and the journal has folded it into the ledger. */
  append(event: AppendableEvent): Promise<Result<unknown, Denial>>;
  tell(event: AppendableEvent, approval: Approval): void;
}

export function createApprovalDesk(parts: DeskParts): ApprovalDesk {
  const { ledger, clock } = parts;
  const turns = createTurns();
  const waiters = new Map<ApprovalId, Set<(approval: Approval | null) => void>>();
  const timers = new Map<ApprovalId, NodeJS.Timeout>();
  let stopped = false;

  async function change(id: ApprovalId, event: AppendableEvent): Promise<Result<Approval, Denial>> {
    const written = await parts.append(event);
    if (!written.ok) return written;
    const approval = known(id);
    arm(approval);
    if (approval.state !== "pending") wake(approval);
    parts.tell(event, approval);
    return ok(approval);
  }

  function known(id: ApprovalId): Approval {
    const approval = ledger.approvals.get(id);
    if (approval === undefined) throw new Error(`the ledger lost approval ${id}`);
    return approval;
  }

  function wake(approval: Approval): void {
    for (const waiter of waiters.get(approval.id) ?? []) waiter(approval);
    waiters.delete(approval.id);
  }

  /** Every live approval has one timer: pending until it expires, allowed until it can no longer be used. */
  function arm(approval: Approval): void {
    clearTimeout(timers.get(approval.id));
    timers.delete(approval.id);
    if (settledAtMs(approval) !== Number.POSITIVE_INFINITY) return;
    const dueMs = approval.state === "allowed" ? approval.usableUntilMs + 1 : approval.expiresAtMs;
    const timer = setTimeout(() => void expire(approval.id), Math.max(0, dueMs - clock.nowMs()));
    timer.unref();
    timers.set(approval.id, timer);
  }

  async function expire(id: ApprovalId): Promise<void> {
    await turns.take(id, async () => {
      const approval = known(id);
      const dueMs = approval.state === "allowed" ? approval.usableUntilMs + 1 : approval.expiresAtMs;
      if (settledAtMs(approval) !== Number.POSITIVE_INFINITY || clock.nowMs() < dueMs) return arm(approval);
      const changed = await change(id, { type: "approval.expired", id, code: "approval.expired" });
      // The disk said no. Nothing is approved by that: a pending one stays unanswered, an allowed one is refused by its own clock.
      if (!changed.ok) wake(approval);
    });
  }

  for (const approval of ledger.approvals.values()) arm(approval);

  return {
    ledger,
    request: (question) =>
      // All questions of one agent take turns, so that two with one request key cannot both be the first.
      turns.take(`agent ${question.agentId}`, async () => {
        const admitted = admit(ledger, question, clock.nowMs());
        if (!admitted.ok) return admitted;
        if (admitted.value !== null) return ok({ approval: admitted.value, fresh: false });
        const id = parts.newId();
        const kept = await question.keep(id);
        if (!kept.ok) return kept;
        const { credential, agentId, sessionKey, requestKey, binding, command } = question;
        const expiresAtMs = clock.nowMs() + question.timeoutMs;
        const asking = { id, credential, agentId, sessionKey, requestKey, binding, command, expiresAtMs, recordSha256: kept.value };
        const asked = await change(id, { type: "approval.requested", ...asking });
        if (!asked.ok) return asked;
        if (question.hasRoute) return ok({ approval: asked.value, fresh: true });
        const expired = await change(id, { type: "approval.expired", id, code: "approval.no-route" });
        return expired.ok ? ok({ approval: expired.value, fresh: true }) : expired;
      }),

    resolve: async (text, answer) => {
      const found = findApproval(ledger, text);
      if (!found.ok) return found;
      const { id } = found.value;
      return turns.take(id, async () => {
        const approval = known(id);
        const step = resolution(approval, answer.decision, clock.nowMs());
        if (!step.ok) return step;
        if (step.value === "same") return ok(approval);
        const prepared = await answer.before(approval);
        if (!prepared.ok) return prepared;
        const { decision, by, reason } = answer;
        return change(id, { type: "approval.decided", id, decision, by, reason });
      });
    },

    cancel: async (text, by) => {
      const found = findApproval(ledger, text);
      if (!found.ok) return found;
      const { id } = found.value;
      return turns.take(id, async () => {
        const approval = known(id);
        const step = cancellable(approval);
        if (!step.ok) return step;
        return step.value === "same" ? ok(approval) : change(id, { type: "approval.cancelled", id, by });
      });
    },

    settled: (id, signal) => {
      const approval = ledger.approvals.get(id);
      if (approval === undefined) return Promise.resolve(null);
      if (approval.state !== "pending" || signal.aborted || stopped) return Promise.resolve(approval);
      return new Promise((resolve) => {
        const mine = waiters.get(id) ?? new Set();
        waiters.set(id, mine);
        const done = (outcome: Approval | null): void => {
          signal.removeEventListener("abort", onAbort);
          mine.delete(done);
          resolve(outcome);
        };
        const onAbort = (): void => done(ledger.approvals.get(id) ?? null);
        mine.add(done);
        signal.addEventListener("abort", onAbort, { once: true });
      });
    },

    spend: (id, starting) =>
      turns.take(id, async () => {
        const allowed = spendable(known(id), clock.nowMs());
        if (!allowed.ok) return allowed;
        const spent = await change(id, starting(allowed.value));
        return spent.ok ? allowed : spent;
      }),

    stop: () => {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      for (const id of waiters.keys()) wake(known(id));
    },
  };
}
