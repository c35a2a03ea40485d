/**
 * One run on a connection of its own. Output notifications name a run that its caller learns of only by them, and a reader who stops
 * reading must slow this child and no other call: both are plain when the connection carries nothing else. Closing it ends the run.
 */
import type { JsonObject } from "../core/json.ts";
import { CANCEL_ANSWER_WITHIN_MS } from "../core/limits.ts";
import { aborted } from "./call-error.ts";
import { badAnswer, type Connection } from "./connection.ts";
import { boundedQueue, type Queue } from "./queue.ts";
import { isRunResult, type RunResult } from "./results.ts";

export interface OutputChunk {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Buffer;
}

/** Iterate to read the output as it comes; leaving the loop early cancels the run. `result` settles once it has ended. */
export interface Run extends AsyncIterable<OutputChunk> {
  readonly result: Promise<RunResult>;
}

export function startRun(open: (signal?: AbortSignal) => Promise<Connection>, params: JsonObject, signal?: AbortSignal): Run {
  const own = new AbortController();
  const giveUp = (): void => own.abort();
  if (signal?.aborted === true) giveUp();
  signal?.addEventListener("abort", giveUp, { once: true });
  const opening = open(own.signal).then((connection) => ({ connection, queue: boundedQueue<OutputChunk>(connection) }));
  const result = opening
    .then(({ connection, queue }) => follow(connection, queue, params, own.signal))
    .finally(() => signal?.removeEventListener("abort", giveUp));
  // Whoever only iterates hears of a failure from the iterator; the same failure here must not end the process.
  result.catch(() => {});

  return {
    result,
    [Symbol.asyncIterator]: () => ({
      next: async () => (await opening).queue.next(),
      return: async () => {
        own.abort();
        await result.catch(() => {});
        return { done: true, value: undefined };
      },
    }),
  };
}

async function follow(connection: Connection, queue: Queue<OutputChunk>, params: JsonObject, signal: AbortSignal): Promise<RunResult> {
  let runId: string | null = null;
  connection.onNotification((method, said) => {
    if (typeof said["runId"] === "string") runId ??= said["runId"];
    const { stream, data } = said;
    if (method !== "exec.output" || typeof data !== "string" || (stream !== "stdout" && stream !== "stderr")) return;
    queue.push({ stream, bytes: Buffer.from(data, "base64") });
  });
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    // Nobody will read on, and an unread queue would keep the answer from arriving.
    queue.end(aborted("the run"));
    connection.resume();
    if (runId === null) return connection.close();
    timer = setTimeout(() => connection.close(), CANCEL_ANSWER_WITHIN_MS);
    connection.call("system.run.cancel", { runId }).catch(() => connection.close());
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const answer = await connection.call("system.run", { stream: true, ...params });
    if (!isRunResult(answer)) throw badAnswer("an unknown answer to `system.run`");
    queue.end();
    return answer;
  } catch (error) {
    const reason = signal.aborted && runId === null ? aborted("the run") : error;
    queue.end(reason instanceof Error ? reason : undefined);
    throw reason;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    connection.close();
  }
}
