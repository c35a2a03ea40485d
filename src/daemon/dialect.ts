import type { Caller } from "../auth/caller.ts";
import type { Peer } from "../auth/peer.ts";
import type { CancelSignal } from "../core/cancellation.ts";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import type { Result } from "../core/result.ts";

/** One frame in another dialect, one answer, and the connection is over. Its own credential is inside the frame. */
export interface DialectExchange {
  readonly frame: JsonObject;
  readonly peer: Peer;
  readonly connectionId: number;
  /** A client of this dialect ends its side right after its line, so only a full close fires it. */
  readonly signal: CancelSignal;
  /** To be called once the credential was found right: until then the connection counts, and is timed, as unauthenticated. */
  admitted(caller: Caller): Result<null, Denial>;
  /** Waits as long as a failing answer of this peer must. */
  delayFailure(): Promise<void>;
}

/** The answer's frame, or `null` to close without one. */
export type DialectHandler = (exchange: DialectExchange) => Promise<JsonObject | null>;
