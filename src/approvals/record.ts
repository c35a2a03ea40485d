import type { BoundParts } from "../binding/binding.ts";
import type { DirectoryIdentity } from "../binding/verify.ts";
import { type AgentId, type ApprovalId, isAgentId, isApprovalId } from "../core/ids.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { NewEntry } from "../policy/allow-entry.ts";

/**
 * What one question was about, kept in `approvals/<id>.json` at 0600: the parts it is bound to, what the person was shown, and what an
 * allow-always would store. Patterns are derived when the question is asked, not when it is answered: a file swapped in between must not
 * become the thing that was allowed for good.
 */
export interface ApprovalRecord {
  readonly id: ApprovalId;
  readonly agentId: AgentId;
  /** `null` with `cwd`: display only. The one who asked runs it somewhere else, and nothing can be run here on the strength of the answer. */
  readonly parts: BoundParts | null;
  readonly cwd: DirectoryIdentity | null;
  /** The plan as clients see it. */
  readonly plan: JsonObject;
  /** As the operator sees it; `env` holds the overrides' values and goes nowhere else. */
  readonly display: JsonObject;
  readonly requester: JsonObject;
  readonly context: JsonObject | null;
  readonly timeoutMs: number;
  readonly allowedDecisions: readonly string[];
  readonly grants: { readonly executable: GrantOffer; readonly command: GrantOffer };
}

/** Entries that an allow-always would add, or why it would add none. */
export interface GrantOffer {
  readonly entries: readonly NewEntry[];
  readonly none: string | null;
}

/** The bytes were checked against the journal's hash before this is asked, so a shallow look is enough to tell our own versions apart. */
export function isApprovalRecord(value: unknown): value is ApprovalRecord {
  return (
    isJsonObject(value) &&
    typeof value["id"] === "string" &&
    isApprovalId(value["id"]) &&
    typeof value["agentId"] === "string" &&
    isAgentId(value["agentId"]) &&
    ["plan", "display", "requester", "grants"].every((key) => isJsonObject(value[key])) &&
    ["parts", "cwd"].every((key) => value[key] === null || isJsonObject(value[key])) &&
    typeof value["timeoutMs"] === "number" &&
    Array.isArray(value["allowedDecisions"])
  );
}
