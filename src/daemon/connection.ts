/**
 * One peer: lines → frames → authentication → calls, each answered when it is done.
 * Before authentication a refused frame gets one error and the connection ends; afterwards it gets an error and the connection lives on.
 */
import type { Socket } from "node:net";
import { type Caller, mayCall } from "../auth/caller.ts";
import type { Admission } from "../auth/handshake.ts";
import type { Peer } from "../auth/peer.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { CALLS_PER_CONNECTION_MAX } from "../core/limits.ts";
import { errorLine, notificationLine, resultLine } from "../wire/answer.ts";
import { parseFrame, type RequestFrame, type RequestId } from "../wire/frame.ts";
import { isMethodName, parseCall } from "../wire/methods.ts";
import type { CallContext } from "./call-context.ts";
import type { ConnectionHost } from "./connection-host.ts";
import { doorkeeper } from "./doorkeeper.ts";
import { type Transport, transportOf, type Unfinished } from "./transport.ts";

export interface Connection {
  readonly id: number;
  /** `closing` has said its last word, and is no longer anybody's. */
  phase(): "greeting" | "open" | "closing";
  caller(): Caller | null;
  callsUnderWay(): number;
  backlogBytes(): number;
  unfinished(): Unfinished;
  /** Says why and closes. */
  dismiss(why: Denial): void;
  /** Takes no new calls, and closes with the reason when those under way are done. */
  drain(why: Denial): void;
  close(): void;
}

export function openConnection(socket: Socket, id: number, peer: Peer, host: ConnectionHost): Connection {
  let admission: Admission | null = null;
  let entered = false;
  let draining: Denial | null = null;
  let calls = 0;
  let retained = 0;

  const transport: Transport = transportOf(socket, {
    native: host.native,
    timing: host.timing,
    mayLinger: () => host.mayLinger(),
    onFull: () => host.relieveOutput(),
    onLong: () => host.relieveInput(),
    onLine: (line) => {
      if (line.ok) return takeLine(line.value);
      return line.failure.code === "wire.line-too-long" ? dismiss(line.failure) : refuse(null, line.failure);
    },
    onInputOver: () => {
      if (!entered) return door.inputOver();
      finishWhenIdle();
      if (!transport.isOpen()) return;
      transport.watchForHangup();
      // Without native code the end of what was said counts as a close, unless the peer announced that it would go on listening.
      if (host.native === null && admission?.halfClose === false) transport.abandon();
    },
    onClosed: () => {
      door.leave();
      host.gone(connection);
    },
  });
  const enter = (admitted: Admission): void => {
    admission = admitted;
    entered = true;
  };
  const enterForOneCall = (admitted: Admission): void => {
    enter(admitted);
    calls += 1;
  };
  const door = doorkeeper(transport, id, peer, host, { dismiss, enter, enterForOneCall });

  function dismiss(why: Denial, requestId: RequestId | null = null): void {
    if (transport.isOpen()) host.observe({ kind: "refused", connectionId: id, peer, denial: why });
    transport.finish(errorLine(requestId, why));
  }

  function finishWhenIdle(): void {
    if (calls > 0 || !entered) return;
    if (draining !== null) dismiss(draining);
    else if (transport.isInputOver() && retained === 0) transport.finish(null);
  }

  function takeLine(text: string): void {
    const frame = parseFrame(text);
    if (!frame.ok) return refuse(frame.failure.id, frame.failure.denial);
    if (!entered) return door.take(frame.value);
    if (frame.value.kind === "request") return takeCall(frame.value);
    return refuse(null, denial("wire.invalid-params", "`jsonrpc` must be `2.0` here; open another connection for a different dialect"));
  }

  function refuse(requestId: RequestId | null, why: Denial): void {
    if (entered) void transport.send(errorLine(requestId, why));
    else dismiss(why, requestId);
  }

  function takeCall(request: RequestFrame): void {
    const refusal = refusalOf(request.method);
    if (refusal !== null) return refuse(request.id, refusal);
    const call = parseCall(request.method, request.params);
    if (!call.ok) return refuse(request.id, call.failure);
    const context = contextOf();
    calls += 1;
    void host
      .handle(call.value, context)
      .then(
        (answer) => (answer.ok ? resultLine(request.id, answer.value) : errorLine(request.id, answer.failure)),
        (error: unknown) => {
          host.observe({ kind: "threw", connectionId: id, method: request.method, error });
          return errorLine(request.id, denial("internal", "something is wrong in the daemon; see its log"));
        },
      )
      .then((line) => {
        calls -= 1;
        void transport.send(line);
        finishWhenIdle();
      });
  }

  function refusalOf(method: string): Denial | null {
    if (admission === null || !isMethodName(method)) return null;
    if (method === "hello" || method === "authenticate") {
      return denial("auth.forbidden", "this connection is authenticated already; open another one");
    }
    const allowed = mayCall(admission.caller, method);
    if (!allowed.ok) return allowed.failure;
    if (draining !== null || calls < CALLS_PER_CONNECTION_MAX) return draining;
    const limit = CALLS_PER_CONNECTION_MAX;
    return denial("overloaded", `${limit} calls are under way on this connection; wait for an answer`, { limit });
  }

  function contextOf(): CallContext {
    if (admission === null) throw new Error("a call was taken before authentication");
    const { caller, agentId } = admission;
    const notify = async (method: string, params: JsonObject): Promise<void> => {
      const line = notificationLine(method, params);
      if (!line.ok) throw new Error(`${method}: ${line.failure.message}`);
      await transport.send(line.value);
    };
    return { caller, agentId, peer, connectionId: id, signal: transport.signal, notify, retain };
  }

  function retain(): () => void {
    let held = true;
    retained += 1;
    return () => {
      if (held) retained -= 1;
      held = false;
      finishWhenIdle();
    };
  }

  const connection: Connection = {
    id,
    phase: () => (!transport.isOpen() ? "closing" : entered ? "open" : "greeting"),
    caller: () => admission?.caller ?? null,
    callsUnderWay: () => calls,
    backlogBytes: () => transport.backlogBytes(),
    unfinished: () => transport.unfinished(),
    dismiss: (why) => dismiss(why),
    drain: (why) => {
      draining = why;
      finishWhenIdle();
    },
    close: () => transport.close(),
  };
  return connection;
}
