import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/approvals/admit.ts";
import type { Approval } from "../../src/approvals/approval.ts";
import { findApproval } from "../../src/approvals/find.ts";
import { emptyLedger, fold, type Ledger } from "../../src/approvals/ledger.ts";
import type { AgentId } from "../../src/core/ids.ts";
import { quickestMs } from "../support/quickest.ts";
import { AGENTS, agent, approvalIdOf, CREDENTIALS, history, play, REQUEST_KEYS, request } from "./history.ts";

describe("the book of approvals", () => {
  test("answers as a walk over all approvals would, whatever happened to them and through every restart", () => {
    fc.assert(
      fc.property(history, (steps) => {
        play(steps, (ledger, nowMs) => {
          for (const soonMs of [0, 1, 30_000, 60_000]) expect(answers(ledger, nowMs + soonMs)).toEqual(walked(ledger, nowMs + soonMs));
        });
      }),
      { numRuns: 300, interruptAfterTimeLimit: 4000 },
    );
  });

  test("admission and prefixes cost about the same among 40,000 settled approvals as among 1,000", () => {
    const asking = (settled: number): (() => void) => {
      const ledger = emptyLedger();
      let nowMs = 0;
      for (let asked = 0; asked < settled; asked += 1) {
        const id = approvalIdOf(asked);
        // Twenty agents, each a little less often than it may.
        nowMs += 125;
        fold(
          ledger,
          request(id, { credential: "gateway", agentId: agent(`agent-${asked % 20}`), requestKey: `key ${asked}` }, nowMs),
          nowMs,
        );
        fold(ledger, { type: "approval.cancelled", id, by: "gateway" }, nowMs);
      }
      const wanted = { credential: "gateway", agentId: agent("agent-1"), requestKey: "new", binding: "sha256:" };
      expect(admit(ledger, wanted, nowMs)).toEqual({ ok: true, value: null });
      return () => {
        for (let times = 0; times < 200; times += 1) {
          admit(ledger, wanted, nowMs);
          findApproval(ledger, "aaaaaaaa");
        }
      };
    };
    const fewMs = quickestMs(0, asking(1_000));
    expect(quickestMs(10 * fewMs, asking(40_000)) / fewMs).toBeLessThan(10);
  });
});

interface Answers {
  readonly size: number;
  readonly pending: readonly string[];
  readonly allowed: readonly string[];
  readonly pendingOf: readonly number[];
  readonly askedWith: readonly (string | undefined)[];
  readonly prompts: readonly number[];
}

function answers({ approvals }: Ledger, nowMs: number): Answers {
  return {
    size: approvals.size,
    pending: approvals.pending().map(({ id }) => id),
    allowed: approvals
      .allowed()
      .map(({ id }) => id)
      .toSorted(),
    pendingOf: [
      approvals.pendingCount(),
      ...CREDENTIALS.map((credential) => approvals.pendingCount({ credential })),
      ...AGENTS.map((agentId) => approvals.pendingCount({ agentId })),
    ],
    askedWith: everyKey((credential, agentId, requestKey) => approvals.askedWith({ credential, agentId, requestKey })?.id),
    prompts: AGENTS.map((agentId) => approvals.promptsInLastMinute(agentId, nowMs)),
  };
}

/** The same by looking at each. */
function walked(ledger: Ledger, nowMs: number): Answers {
  const all = [...ledger.approvals.values()];
  const inState = (state: Approval["state"]): readonly Approval[] => all.filter((approval) => approval.state === state);
  const pending = inState("pending");
  const wasShown = (approval: Approval): boolean => approval.state !== "expired" || approval.code !== "approval.no-route";
  return {
    size: all.length,
    pending: pending.map(({ id }) => id),
    allowed: inState("allowed")
      .map(({ id }) => id)
      .toSorted(),
    pendingOf: [
      pending.length,
      ...CREDENTIALS.map((credential) => pending.filter((approval) => approval.credential === credential).length),
      ...AGENTS.map((agentId) => pending.filter((approval) => approval.agentId === agentId).length),
    ],
    askedWith: everyKey(
      (credential, agentId, requestKey) =>
        all.find((each) => each.credential === credential && each.agentId === agentId && each.requestKey === requestKey)?.id,
    ),
    prompts: AGENTS.map(
      (agentId) => all.filter((each) => each.agentId === agentId && wasShown(each) && each.createdAtMs > nowMs - 60_000).length,
    ),
  };
}

function everyKey<Found>(find: (credential: string, agentId: AgentId, requestKey: string) => Found): readonly Found[] {
  return CREDENTIALS.flatMap((credential) =>
    AGENTS.flatMap((agentId) => REQUEST_KEYS.map((requestKey) => find(credential, agentId, requestKey))),
  );
}
