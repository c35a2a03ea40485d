/** One socket, spoken to in JSON-RPC: calls go out with a number, answers come back to it, everything else is a notification. */
import { createConnection, type Socket } from "node:net";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { CALLS_PER_CONNECTION_MAX, CONNECT_WITHIN_MS, LINE_BYTES_MAX } from "../core/limits.ts";
import { aborted, CallError } from "./call-error.ts";
import { lineReader } from "./line-reader.ts";

export interface Connection {
  call(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonValue>;
  /** One listener: whoever opened the connection. Answers and notifications arrive in the order in which they were sent. */
  onNotification(listener: (method: string, params: JsonObject) => void): void;
  /** Stops reading, so that a consumer who falls behind slows the daemon instead of growing this process. */
  pause(): void;
  resume(): void;
  close(): void;
  /** Settles once, with the reason why nothing more will come. */
  readonly closed: Promise<CallError>;
}

interface Waiting {
  readonly resolve: (value: JsonValue) => void;
  readonly reject: (error: CallError) => void;
}

export async function openConnection(socketPath: string, signal?: AbortSignal): Promise<Connection> {
  const socket = await dial(socketPath, signal);
  const waiting = new Map<number, Waiting>();
  let listener: (method: string, params: JsonObject) => void = () => {};
  let ended: CallError | null = null;
  let lastId = 0;
  const { promise: closed, resolve: announceClosed } = settleable<CallError>();

  const end = (reason: CallError): void => {
    if (ended !== null) return;
    ended = reason;
    socket.destroy();
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
    announceClosed(reason);
  };

  const take = (frame: JsonObject): void => {
    const { id, method, params, result, error } = frame;
    if (typeof method === "string" && id === undefined) return listener(method, isJsonObject(params) ? params : {});
    if (isJsonObject(error)) {
      const failure = toCallError(error);
      // An error without a number is about a frame the daemon could not read, or about the connection: every call on it is in doubt.
      if (typeof id !== "number") return end(failure);
      waiting.get(id)?.reject(failure);
    } else if (typeof id === "number" && result !== undefined) {
      // A number nobody waits for any more belongs to a call that was given up.
      waiting.get(id)?.resolve(result);
    } else {
      return end(badAnswer("a frame that is neither answer nor notification"));
    }
    if (typeof id === "number") waiting.delete(id);
  };

  const split = lineReader();
  socket.on("data", (chunk) => {
    const lines = split(chunk);
    if (lines === null) return end(badAnswer(`a line of more than ${LINE_BYTES_MAX} bytes`));
    for (const line of lines) {
      if (ended !== null) return;
      const frame = parseFrame(line);
      if (frame === null) return end(badAnswer("a line that is not a JSON object"));
      take(frame);
    }
  });
  socket.on("error", (error) => end(new CallError("client.closed", `the connection broke: ${error.message}`)));
  socket.on("end", () =>
    end(new CallError("client.closed", "the daemon closed the connection; `countersign audit tail` says how far it came")),
  );
  socket.on("close", () => end(new CallError("client.closed", "the connection is closed")));

  return {
    closed,
    onNotification: (given) => {
      listener = given;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => end(new CallError("client.closed", "the connection was closed by this side")),
    call: async (method, params, callSignal) => {
      if (ended !== null) throw ended;
      if (callSignal?.aborted === true) throw aborted(`\`${method}\``);
      if (waiting.size >= CALLS_PER_CONNECTION_MAX) {
        throw new CallError("client.too-many-calls", `${CALLS_PER_CONNECTION_MAX} calls are under way; wait for one of them`);
      }
      lastId += 1;
      const id = lastId;
      const line = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`, "utf8");
      if (line.length - 1 > LINE_BYTES_MAX) {
        throw new CallError("wire.line-too-long", `the request has ${line.length} bytes and ${LINE_BYTES_MAX} are allowed; send less`);
      }
      const { promise, resolve, reject } = settleable<JsonValue>();
      const giveUp = (): void => {
        waiting.delete(id);
        reject(aborted(`\`${method}\``));
      };
      waiting.set(id, { resolve, reject });
      callSignal?.addEventListener("abort", giveUp, { once: true });
      socket.write(line);
      try {
        return await promise;
      } finally {
        callSignal?.removeEventListener("abort", giveUp);
      }
    },
  };
}

async function dial(socketPath: string, signal?: AbortSignal): Promise<Socket> {
  if (signal?.aborted === true) throw aborted("connecting");
  const socket = createConnection({ path: socketPath });
  const { promise, resolve, reject } = settleable<Socket>();
  const giveUp = (): void => reject(aborted("connecting"));
  const timer = setTimeout(() => reject(unreachable(socketPath, "ETIMEDOUT")), CONNECT_WITHIN_MS);
  socket.once("connect", () => resolve(socket));
  socket.once("error", (error) => reject(unreachable(socketPath, "code" in error ? String(error.code) : error.message)));
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

export function unreachable(socketPath: string, errno: string): CallError {
  const data = { socket: socketPath, errno };
  switch (errno) {
    case "ENOENT":
    case "ECONNREFUSED":
      return new CallError("client.unreachable", `there is no daemon at \`${socketPath}\`; start one: \`countersign daemon\``, data);
    case "EACCES":
    case "EPERM":
      return new CallError("client.no-access", `this user may not open \`${socketPath}\`; ask its owner for allowUids`, data);
    default:
      return new CallError("client.unreachable", `\`${socketPath}\` cannot be reached (${errno}); is the path right?`, data);
  }
}

function parseFrame(line: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function toCallError(error: JsonObject): CallError {
  const data = isJsonObject(error["data"]) ? error["data"] : {};
  const code = typeof data["code"] === "string" ? data["code"] : "internal";
  return new CallError(code, typeof error["message"] === "string" ? error["message"] : "the daemon gave no reason", data);
}

export function badAnswer(what: string): CallError {
  return new CallError("client.bad-answer", `the daemon sent ${what}; are client and daemon of the same version?`);
}

function settleable<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: CallError) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: CallError) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
