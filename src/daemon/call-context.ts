import type { Caller } from "../auth/caller.ts";
import type { Peer } from "../auth/peer.ts";
import type { CancelSignal } from "../core/cancellation.ts";
import type { Denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import type { Call } from "../wire/methods.ts";

/** What a call knows about where it came from. */
export interface CallContext {
  readonly caller: Caller;
  /** Named while authenticating; see agentOf(). */
  readonly agentId: AgentId | null;
  readonly peer: Peer;
  readonly connectionId: number;
  /** Fires when the connection is gone for good, and never for a peer that has only finished talking. */
  readonly signal: CancelSignal;
  /** Settles when there is room for more: awaiting it is what makes a slow reader slow the child. Quietly does nothing once the peer is gone. */
  notify(method: string, params: JsonObject): Promise<void>;
  /** Keeps a connection whose peer has finished talking open until the answer is called: a subscription is work too. */
  retain(): () => void;
}

export type Handler = (call: Call, context: CallContext) => Promise<Result<JsonObject, Denial>>;
