/** All connections of one listener, and the bounds they share: how many, how many unknown, how much unread and unfinished. */
import type { Server, Socket } from "node:net";
import { type Caller, type Credentials, isCurrent } from "../auth/caller.ts";
import { failureDelay } from "../auth/failure-delay.ts";
import { admitPeer } from "../auth/peer.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import {
  AUTH_FAILURE_DELAY_MS,
  AUTHENTICATE_WITHIN_MS,
  CLOSING_LINGER_MS,
  CLOSING_MAX,
  CONNECTIONS_KEPT_FOR_OPERATORS,
  CONNECTIONS_MAX,
  HANGUP_POLL_MS,
  OUTGOING_STALL_MS,
  UNAUTHENTICATED_MAX,
} from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";
import { errorLine } from "../wire/answer.ts";
import type { Handler } from "./call-context.ts";
import { type Connection, openConnection } from "./connection.ts";
import type { ConnectionEvent, ConnectionHost, ConnectionTiming } from "./connection-host.ts";
import type { DialectHandler } from "./dialect.ts";
import { relieveInput, relieveOutput } from "./relief.ts";
import { fdOf } from "./socket-fd.ts";

export interface ConnectionsOptions {
  readonly handle: Handler;
  readonly onDialect: DialectHandler | null;
  readonly native: Native | null;
  /** Tests have less patience than people. */
  readonly timing?: Partial<ConnectionTiming & { readonly failureDelayMs: number }>;
  credentials(): Credentials;
  allowUids(): readonly number[];
  welcome(caller: Caller): JsonObject;
  observe(event: ConnectionEvent): void;
}

export interface Connections {
  /** Hands a freshly accepted socket over; serveConnections does it. */
  accept(socket: Socket): void;
  counts(): { readonly open: number; readonly unauthenticated: number; readonly operators: number; readonly callsUnderWay: number };
  /** Ends the connections whose token is no longer good: at once, or when their calls are done. */
  closeStale(how: "now" | "drained"): void;
  /** Takes no new calls anywhere and settles when every connection is closed. */
  drain(why: Denial): Promise<void>;
  closeAll(): void;
}

const TIMING_DEFAULT: ConnectionTiming = {
  authenticateWithinMs: AUTHENTICATE_WITHIN_MS,
  hangupPollMs: HANGUP_POLL_MS,
  stallMs: OUTGOING_STALL_MS,
  lingerMs: CLOSING_LINGER_MS,
};

/** To be created with `{ allowHalfOpen: true, pauseOnConnect: false }`. */
export function connectionsOf(options: ConnectionsOptions): Connections {
  // In order of arrival: the oldest comes first.
  const all = new Map<number, Connection>();
  const emptied: (() => void)[] = [];
  let lastId = 0;
  let draining: Denial | null = null;

  const inPhase = (phase: ReturnType<Connection["phase"]>): readonly Connection[] =>
    [...all.values()].filter((connection) => connection.phase() === phase);
  const operators = (): number => inPhase("open").filter((connection) => connection.caller()?.role === "operator").length;

  function seat(role: Caller["role"]): Result<null, Denial> {
    const taken = inPhase("open").length - (role === "operator" ? 0 : operators());
    const limit = role === "operator" ? CONNECTIONS_MAX : CONNECTIONS_MAX - CONNECTIONS_KEPT_FOR_OPERATORS;
    if (draining !== null) return fail(draining);
    if (taken < limit) return ok(null);
    return fail(denial("overloaded", `${limit} connections are open; close one and try again`, { limit }));
  }

  const host: ConnectionHost = {
    handle: options.handle,
    onDialect: options.onDialect,
    native: options.native,
    failures: failureDelay(options.timing?.failureDelayMs ?? AUTH_FAILURE_DELAY_MS),
    timing: { ...TIMING_DEFAULT, ...options.timing },
    credentials: () => options.credentials(),
    welcome: (caller) => options.welcome(caller),
    observe: (event) => options.observe(event),
    seat,
    relieveOutput: () => relieveOutput([...all.values()]),
    relieveInput: () => relieveInput([...all.values()]),
    mayLinger: () => inPhase("closing").length < CLOSING_MAX,
    gone: (connection) => {
      all.delete(connection.id);
      if (all.size === 0) for (const settle of emptied.splice(0)) settle();
    },
  };

  /** Somebody new may displace somebody who has not said who he is, and nobody else. */
  function makeRoom(): boolean {
    const unknown = inPhase("greeting");
    if (unknown.length < UNAUTHENTICATED_MAX && all.size < CONNECTIONS_MAX) return true;
    const oldest = unknown[0] ?? inPhase("closing")[0];
    if (oldest === undefined) return false;
    if (oldest.phase() === "greeting") oldest.dismiss(denial("overloaded", "others are waiting to authenticate; connect again"));
    if (all.size >= CONNECTIONS_MAX) oldest.close();
    return true;
  }

  return {
    accept(socket) {
      const refuse = (why: Denial): void => {
        socket.on("error", () => socket.destroy());
        socket.end(errorLine(null, why), () => socket.destroy());
      };
      const peer = admitPeer(options.native, fdOf(socket), options.allowUids());
      if (!peer.ok) return refuse(peer.failure);
      if (draining !== null) return refuse(draining);
      if (!makeRoom())
        return refuse(denial("overloaded", `${CONNECTIONS_MAX} connections are open; try again later`, { limit: CONNECTIONS_MAX }));
      lastId += 1;
      all.set(lastId, openConnection(socket, lastId, peer.value, host));
    },
    counts: () => ({
      open: inPhase("open").length,
      unauthenticated: inPhase("greeting").length,
      operators: operators(),
      callsUnderWay: [...all.values()].reduce((sum, connection) => sum + connection.callsUnderWay(), 0),
    }),
    closeStale(how) {
      const credentials = options.credentials();
      const why = denial("auth.failed", "the token of this connection was rotated; authenticate with the new one");
      for (const connection of all.values()) {
        const caller = connection.caller();
        if (caller === null || isCurrent(caller, credentials)) continue;
        if (how === "now") connection.dismiss(why);
        else connection.drain(why);
      }
    },
    async drain(why) {
      draining = why;
      for (const connection of all.values()) connection.drain(why);
      for (const connection of inPhase("greeting")) connection.dismiss(why);
      if (all.size > 0) await new Promise<void>((settle) => void emptied.push(settle));
    },
    closeAll() {
      for (const connection of all.values()) connection.close();
    },
  };
}

export function serveConnections(server: Server, options: ConnectionsOptions): Connections {
  const connections = connectionsOf(options);
  server.on("connection", (socket) => connections.accept(socket));
  return connections;
}
