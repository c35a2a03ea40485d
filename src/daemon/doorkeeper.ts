/** What a connection may say before it is known: one greeting, one attempt, or one frame of another dialect; and not for long. */
import type { Caller } from "../auth/caller.ts";
import { type Admission, admit, type Greeting, greet } from "../auth/handshake.ts";
import type { Peer } from "../auth/peer.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import { resultLine } from "../wire/answer.ts";
import type { Frame, RequestFrame, RequestId } from "../wire/frame.ts";
import { parseCall } from "../wire/methods.ts";
import type { ConnectionHost } from "./connection-host.ts";
import type { Transport } from "./transport.ts";

export interface Doorkeeper {
  take(frame: Frame): void;
  inputOver(): void;
  leave(): void;
}

export interface Inside {
  dismiss(why: Denial, requestId: RequestId | null): void;
  enter(admission: Admission): void;
  /** Another dialect has one exchange to a connection: it counts as a call under way until the connection ends. */
  enterForOneCall(admission: Admission): void;
}

export function doorkeeper(transport: Transport, id: number, peer: Peer, host: ConnectionHost, inside: Inside): Doorkeeper {
  let greeting: Greeting | null = null;
  let deciding = false;
  let delay: NodeJS.Timeout | null = null;
  const patience = setTimeout(
    () => inside.dismiss(denial("auth.timeout", "no `authenticate` in time; send it first"), null),
    host.timing.authenticateWithinMs,
  ).unref();

  function answer(request: RequestFrame): void {
    const call = parseCall(request.method, request.params);
    if (!call.ok && (request.method === "hello" || request.method === "authenticate")) return inside.dismiss(call.failure, request.id);
    if (call.ok && call.value.method === "hello" && greeting === null) {
      const greeted = greet(call.value.params, host.credentials());
      greeting = greeted.greeting;
      return void transport.send(resultLine(request.id, { nonce: greeting.serverNonce, proof: greeted.proof }));
    }
    if (!call.ok || call.value.method !== "authenticate") {
      return inside.dismiss(denial("auth.required", "nothing else is answered before `authenticate`; send it first"), request.id);
    }
    const admitted = admit(call.value.params, greeting, host.credentials(), peer);
    return admitted.ok ? enter(request.id, admitted.value) : void failSlowly(request.id, admitted.failure);
  }

  function enter(requestId: RequestId, admission: Admission): void {
    const seat = host.seat(admission.caller.role);
    if (!seat.ok) return inside.dismiss(seat.failure, requestId);
    clearTimeout(patience);
    inside.enter(admission);
    return void transport.send(resultLine(requestId, host.welcome(admission.caller)));
  }

  async function failSlowly(requestId: RequestId, why: Denial): Promise<void> {
    deciding = true;
    transport.hold();
    await delayFailure();
    inside.dismiss(why, requestId);
  }

  function delayFailure(): Promise<void> {
    return new Promise((settle) => {
      delay = setTimeout(settle, host.failures.take(peer.uid, performance.now())).unref();
    });
  }

  async function speakDialect(frame: JsonObject): Promise<void> {
    if (host.onDialect === null || greeting !== null) return transport.finish(null);
    deciding = true;
    transport.hold();
    transport.watchForHangup();
    const admitted = (caller: Caller): Result<null, Denial> => {
      const seat = host.seat("gateway");
      if (seat.ok) {
        clearTimeout(patience);
        inside.enterForOneCall({ caller, agentId: null, halfClose: true });
      }
      return seat;
    };
    try {
      const said = await host.onDialect({ frame, peer, connectionId: id, signal: transport.signal, admitted, delayFailure });
      transport.finish(said === null ? null : Buffer.from(`${JSON.stringify(said)}\n`, "utf8"));
    } catch (error) {
      host.observe({ kind: "threw", connectionId: id, method: "dialect", error });
      transport.close();
    }
  }

  return {
    take: (frame) => (frame.kind === "request" ? answer(frame) : void speakDialect(frame.frame)),
    inputOver: () => {
      if (!deciding) transport.finish(null);
    },
    leave: () => {
      clearTimeout(patience);
      if (delay !== null) clearTimeout(delay);
    },
  };
}
