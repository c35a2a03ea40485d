/** Events for tests of the journal and of what is folded from it. */
import { randomUUID } from "node:crypto";
import type { AppendableEvent, RunStarting } from "../../src/approvals/events.ts";
import { isAgentId, isApprovalId, isRunId } from "../../src/core/ids.ts";

export function runStarting(command: string): RunStarting {
  const [runId, approvalId, agentId] = [randomUUID(), randomUUID(), "main"];
  if (!isRunId(runId) || !isApprovalId(approvalId) || !isAgentId(agentId)) throw new Error("a UUID is no id");
  const who = { credential: "gateway", agentId, sessionKey: "s1" };
  const what = { binding: `sha256:${"b".repeat(64)}`, command, decidedBy: "allow-once" };
  return { type: "run.starting", runId, ...who, ...what, approvalId, token: null, grants: [] };
}

export function noted(details: Readonly<Record<string, string | number>>): AppendableEvent {
  return { type: "security.event", details };
}
