/** Events as an async iterator that outlives a restart of the daemon, and says when it was away: what happened meanwhile must be asked for. */
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../core/json.ts";
import { RECONNECT_FIRST_MS, RECONNECT_MAX_MS } from "../core/limits.ts";
import { CallError, isCallError } from "./call-error.ts";
import type { Connection } from "./connection.ts";
import { boundedQueue } from "./queue.ts";

export type Happening =
  | { readonly kind: "connected" }
  | { readonly kind: "event"; readonly topic: string; readonly params: JsonObject }
  | { readonly kind: "lost"; readonly error: CallError; readonly retryInMs: number };

export async function* subscribe(
  open: (signal?: AbortSignal) => Promise<Connection>,
  topics: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<Happening, void, undefined> {
  let retryInMs = RECONNECT_FIRST_MS;
  // The first attempt fails to its caller's face; only a connection that once stood is worth waiting for.
  let stood = false;
  for (;;) {
    if (isAborted(signal)) return;
    let stands = false;
    try {
      for await (const happening of listen(open, topics, signal)) {
        stands = true;
        stood = true;
        retryInMs = RECONNECT_FIRST_MS;
        yield happening;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      if (!isCallError(error) || !stood || !mayPass(error, stands)) throw error;
      yield { kind: "lost", error, retryInMs };
      await sleep(retryInMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      retryInMs = Math.min(retryInMs * 2, RECONNECT_MAX_MS);
    }
  }
}

async function* listen(
  open: (signal?: AbortSignal) => Promise<Connection>,
  topics: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<Happening, void, undefined> {
  const connection = await open(signal);
  const queue = boundedQueue<Happening>(connection);
  const leave = (): void => connection.close();
  signal?.addEventListener("abort", leave, { once: true });
  void connection.closed.then((reason) => queue.end(reason));
  connection.onNotification((topic, params) => queue.push({ kind: "event", topic, params }));
  try {
    await connection.call("events.subscribe", { topics }, signal);
    yield { kind: "connected" };
    for (let next = await queue.next(); next.done !== true; next = await queue.next()) yield next.value;
  } finally {
    signal?.removeEventListener("abort", leave);
    connection.close();
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/**
 * A daemon that is away comes back; a token that is wrong stays wrong. One that was right until now was rotated, and whoever connects by a
 * file finds the new one there.
 */
function mayPass(error: CallError, stands: boolean): boolean {
  if (stands && error.code === "auth.failed") return true;
  return ["client.unreachable", "client.closed", "overloaded", "shutting-down", "auth.timeout"].includes(error.code);
}
