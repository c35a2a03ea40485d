import { coversAgent } from "../auth/agent-pattern.ts";
import type { Caller, Credentials } from "../auth/caller.ts";
import type { Peer } from "../auth/peer.ts";
import type { Asker } from "./asker.ts";
import type { Consume } from "./consume.ts";
import type { World } from "./world.ts";

export interface OpenclawParts {
  readonly world: World;
  readonly consume: Consume;
  /** Asked at every frame, so that a rotated token holds at once. */
  credentials(): Credentials;
  /** By the wall clock, as the frames' own times are. */
  readonly startedAtMs: number;
  wallMs(): number;
  /** `openclaw.trustForwardedDecisions`. */
  trustForwarded(): boolean;
}

/** `null` for an operator: the side that asks is not the side that answers, and this dialect only asks. */
export function askerOf(caller: Caller | null, peer: Peer): Asker | null {
  if (caller === null || caller.role !== "gateway") return null;
  const { credential, agents } = caller;
  return {
    role: "gateway",
    credential,
    agentId: null,
    mayActFor: (agentId) => coversAgent(agents, agentId),
    peer: peer.pid === null || peer.uid === null ? null : { pid: peer.pid, uid: peer.uid },
  };
}
