import { describe, expect, test } from "vitest";
import { emptyLedger, fold, type Ledger, prune } from "../../src/approvals/ledger.ts";
import { APPROVAL_BYTES, APPROVAL_GRACE_MS, SETTLED_KEPT_BYTES_MAX, SETTLED_KEPT_MS } from "../../src/core/limits.ts";
import { agent, approvalIdOf, request } from "./history.ts";

const KEEPING = { settledMs: SETTLED_KEPT_MS, settledBytesMax: SETTLED_KEPT_BYTES_MAX };
const HOUR_MS = 3_600_000;
const MOST = Math.ceil(SETTLED_KEPT_BYTES_MAX / APPROVAL_BYTES);

function settled(count: number, code: "approval.expired" | "approval.no-route"): Ledger {
  const ledger = emptyLedger();
  for (let index = 0; index < count; index += 1) {
    fold(ledger, request(approvalIdOf(index), { credential: "gateway", agentId: agent("main"), requestKey: null }, HOUR_MS), 0);
    fold(ledger, { type: "approval.expired", id: approvalIdOf(index), code }, 0);
  }
  return ledger;
}

describe("what is settled", () => {
  test("is forgotten, the oldest first, when it takes too much room, however short the commands were", () => {
    const ledger = settled(2 * MOST, "approval.no-route");
    const gone = prune(ledger, 1, KEEPING);
    expect(ledger.approvals.size).toBeLessThanOrEqual(MOST);
    expect(gone.length).toBeGreaterThanOrEqual(MOST);
    expect(ledger.approvals.has(approvalIdOf(0))).toBe(false);
    expect(ledger.approvals.has(approvalIdOf(2 * MOST - 1))).toBe(true);
  });

  test("is remembered for as long as it could be presented a second time, whatever room it takes", () => {
    const ledger = settled(2 * MOST, "approval.expired");
    expect(prune(ledger, HOUR_MS + APPROVAL_GRACE_MS, KEEPING)).toEqual([]);
    expect(prune(ledger, HOUR_MS + APPROVAL_GRACE_MS + 1, KEEPING).length).toBeGreaterThanOrEqual(MOST);
  });

  test("is forgotten after a day, whatever room there is", () => {
    const ledger = settled(3, "approval.expired");
    expect(prune(ledger, HOUR_MS + SETTLED_KEPT_MS, KEEPING)).toEqual([]);
    expect(prune(ledger, HOUR_MS + SETTLED_KEPT_MS + 1, KEEPING)).toHaveLength(3);
  });
});
