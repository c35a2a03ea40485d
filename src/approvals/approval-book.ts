import type { AgentId, ApprovalId } from "../core/ids.ts";
import { PROMPTS_COUNTED_FOR_MS } from "../core/limits.ts";
import type { Approval } from "./approval.ts";
import { groupingBy } from "./grouping.ts";

/**
 * All approvals in the order of asking, and the answers to what is asked at every request. The settled ones of a whole day are among
 * them, so nothing here that a request needs may walk over all of them.
 */
export interface ApprovalBook {
  readonly size: number;
  get(id: ApprovalId): Approval | undefined;
  has(id: ApprovalId): boolean;
  values(): IterableIterator<Approval>;
  /** Puts it in the place of what has its id, or at the end. Whoever asked, and for what, stays the same for one id. */
  set(approval: Approval): void;
  delete(id: ApprovalId): void;
  clear(): void;
  pending(): readonly Approval[];
  allowed(): readonly Approval[];
  pendingCount(of?: { readonly credential: string } | { readonly agentId: AgentId }): number;
  /** The first that was asked with this key. */
  askedWith(key: RequestKey): Approval | undefined;
  /** How often a person was shown something of this agent in the minute before `nowMs`, which is never earlier than the last approval. */
  promptsInLastMinute(agentId: AgentId, nowMs: number): number;
}

/** A request key means something within one credential and agent alone. */
export interface RequestKey {
  readonly credential: string;
  readonly agentId: AgentId;
  readonly requestKey: string;
}

export function approvalBook(): ApprovalBook {
  const all = new Map<ApprovalId, Approval>();
  const byState = groupingBy(({ state }) => (state === "pending" || state === "allowed" ? state : null));
  const pendingByCredential = groupingBy(({ state, credential }) => (state === "pending" ? credential : null));
  const pendingByAgent = groupingBy(({ state, agentId }) => (state === "pending" ? agentId : null));
  const byRequestKey = groupingBy(({ credential, agentId, requestKey }) =>
    requestKey === null ? null : keyText({ credential, agentId, requestKey }),
  );
  const promptsByAgent = groupingBy((approval) => (wasShown(approval) ? approval.agentId : null));
  const groupings = [byState, pendingByCredential, pendingByAgent, byRequestKey, promptsByAgent];

  const moved = (before: Approval | undefined, after: Approval | undefined): void => {
    for (const grouping of groupings) grouping.moved(before, after);
  };
  const those = (ids: ReadonlySet<ApprovalId>): readonly Approval[] => [...ids].flatMap((id) => all.get(id) ?? []);

  /** Admission bounds what one agent asks in a minute, and what is older than that is let go here: so what is counted stays short. */
  function dropOldPrompts({ agentId, createdAtMs }: Approval): void {
    for (const id of promptsByAgent.under(agentId)) {
      if (isCounted(all.get(id), createdAtMs)) return;
      promptsByAgent.drop(agentId, id);
    }
  }

  return {
    get size() {
      return all.size;
    },
    get: (id) => all.get(id),
    has: (id) => all.has(id),
    values: () => all.values(),
    set(approval) {
      const before = all.get(approval.id);
      all.set(approval.id, approval);
      moved(before, approval);
      if (before === undefined) dropOldPrompts(approval);
    },
    delete(id) {
      moved(all.get(id), undefined);
      all.delete(id);
    },
    clear() {
      all.clear();
      for (const grouping of groupings) grouping.clear();
    },
    pending: () => those(byState.under("pending")),
    allowed: () => those(byState.under("allowed")),
    pendingCount(of) {
      if (of === undefined) return byState.under("pending").size;
      return "credential" in of ? pendingByCredential.under(of.credential).size : pendingByAgent.under(of.agentId).size;
    },
    askedWith(key) {
      const [first] = byRequestKey.under(keyText(key));
      return first === undefined ? undefined : all.get(first);
    },
    promptsInLastMinute: (agentId, nowMs) => those(promptsByAgent.under(agentId)).filter((prompt) => isCounted(prompt, nowMs)).length,
  };
}

/** As JSON: no credential, agent or key can be spelled so that it passes for another. */
function keyText({ credential, agentId, requestKey }: RequestKey): string {
  return JSON.stringify([credential, agentId, requestKey]);
}

/** A request that expired for want of a route was never shown to anyone. */
function wasShown(approval: Approval): boolean {
  return approval.state !== "expired" || approval.code !== "approval.no-route";
}

function isCounted(prompt: Approval | undefined, nowMs: number): boolean {
  return prompt !== undefined && prompt.createdAtMs > nowMs - PROMPTS_COUNTED_FOR_MS;
}
