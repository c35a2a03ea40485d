import { agentOf, type Caller } from "../auth/caller.ts";
import type { Peer } from "../auth/peer.ts";
import type { Denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import type { Result } from "../core/result.ts";

/** Who is on the other end of a connection, as far as the methods care. */
export interface Asker {
  readonly role: "gateway" | "operator";
  /** The credential's name, never its secret: what a gateway started is known by it. */
  readonly credential: string;
  /** Held by the connection since `authenticate`; another one in a request is refused. */
  readonly agentId: AgentId | null;
  readonly peer: Peer;
  /** The agent that a request speaks for, or why this caller may not speak for it. */
  agentFor(named: AgentId | null): Result<AgentId, Denial>;
}

export function askerOf(caller: Caller, agentId: AgentId | null, peer: Peer): Asker {
  return {
    role: caller.role,
    credential: caller.credential,
    agentId,
    peer,
    agentFor: (named) => agentOf(caller, agentId, named),
  };
}

/** For people and the log: which credential it was, and which user held it. */
export function signatureOf({ credential, peer }: Asker): string {
  return peer.uid === null ? credential : `${credential} (uid ${peer.uid})`;
}
