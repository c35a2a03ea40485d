import type { Caller, Credentials } from "../auth/caller.ts";
import type { FailureDelay } from "../auth/failure-delay.ts";
import type { Peer } from "../auth/peer.ts";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";
import type { Handler } from "./call-context.ts";
import type { Connection } from "./connection.ts";
import type { DialectHandler } from "./dialect.ts";
import type { TransportTiming } from "./transport.ts";

/** What every connection shares. */
export interface ConnectionHost {
  readonly handle: Handler;
  /** `null`: frames of another dialect are closed on, without an answer. */
  readonly onDialect: DialectHandler | null;
  readonly native: Native | null;
  readonly failures: FailureDelay;
  readonly timing: ConnectionTiming;
  /** Asked at every attempt, so that a rotated token holds at once. */
  credentials(): Credentials;
  /** The result of `authenticate`. */
  welcome(caller: Caller): JsonObject;
  /** A place among the authenticated, or why there is none. */
  seat(role: Caller["role"]): Result<null, Denial>;
  mayLinger(): boolean;
  /** Called when a peer does not keep up: what all of them leave unread is bounded together. */
  relieveOutput(): void;
  /** Called when a peer has begun a long line: what all of them leave unfinished is bounded together. */
  relieveInput(): void;
  gone(connection: Connection): void;
  observe(event: ConnectionEvent): void;
}

export interface ConnectionTiming extends TransportTiming {
  readonly authenticateWithinMs: number;
}

/** For the log and the journal. `threw` is a mistake of ours: the peer was told `internal`, and nothing was allowed. */
export type ConnectionEvent =
  | { readonly kind: "refused"; readonly connectionId: number; readonly peer: Peer; readonly denial: Denial }
  | { readonly kind: "threw"; readonly connectionId: number; readonly method: string; readonly error: unknown };
