import { isApprovalId, isRunId } from "../core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Approval } from "./approval.ts";
import type { Ledger, RunningRun } from "./ledger.ts";

/** The ledger as a `carried` record holds it, and back. The journal's chain vouches for the content; the shape is checked all the same. */
export function snapshotOf(ledger: Ledger): JsonObject {
  return {
    approvals: [...ledger.approvals.values()].map((approval): JsonObject => ({ ...approval })),
    running: [...ledger.running].map(([runId, run]): JsonObject => ({ runId, ...run })),
    spentTokens: Object.fromEntries(ledger.spentTokens),
    usesSpent: Object.fromEntries(ledger.usesSpent),
  };
}

/** Replaces the ledger's content; `false` when the record is not of this shape, and then the ledger must not be used. */
export function restore(ledger: Ledger, state: JsonObject): boolean {
  const { approvals, running, spentTokens, usesSpent } = state;
  if (!Array.isArray(approvals) || !approvals.every(isApproval)) return false;
  if (!Array.isArray(running) || !running.every(isRunning)) return false;
  if (!isCounts(spentTokens) || !isCounts(usesSpent)) return false;
  for (const map of [ledger.approvals, ledger.running, ledger.spentTokens, ledger.usesSpent]) map.clear();
  for (const approval of approvals) ledger.approvals.set(approval);
  for (const { runId, approvalId, startedAtMs } of running) if (isRunId(runId)) ledger.running.set(runId, { approvalId, startedAtMs });
  for (const [key, value] of Object.entries(spentTokens)) ledger.spentTokens.set(key, value);
  for (const [key, value] of Object.entries(usesSpent)) ledger.usesSpent.set(key, value);
  return true;
}

const STATES: ReadonlySet<JsonValue | undefined> = new Set(["pending", "allowed", "consumed", "denied", "expired", "cancelled"]);

function isApproval(value: unknown): value is Approval {
  return (
    isJsonObject(value) &&
    typeof value["id"] === "string" &&
    isApprovalId(value["id"]) &&
    typeof value["binding"] === "string" &&
    typeof value["credential"] === "string" &&
    typeof value["expiresAtMs"] === "number" &&
    STATES.has(value["state"])
  );
}

function isRunning(value: unknown): value is RunningRun & { readonly runId: string } {
  return isJsonObject(value) && typeof value["runId"] === "string" && typeof value["startedAtMs"] === "number";
}

function isCounts(value: JsonValue | undefined): value is Readonly<Record<string, number>> {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === "number");
}
