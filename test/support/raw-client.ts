/** A client that says exactly the bytes it is told to, for tests of what the daemon does with them. */
import { createConnection, type Socket } from "node:net";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";

export interface RawClient {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  call(id: string | number, method: string, params?: JsonObject): void;
  /** The next frame, or `null` when the daemon has ended the connection. */
  next(): Promise<JsonObject | null>;
  /** The answer to this id; frames of others are passed over. */
  answer(id: string | number): Promise<JsonObject | null>;
  authenticate(token: string, more?: JsonObject): Promise<JsonObject | null>;
  readonly closed: Promise<void>;
  close(): void;
}

export async function rawClient(path: string): Promise<RawClient> {
  const socket = createConnection({ path, allowHalfOpen: true });
  const frames: JsonObject[] = [];
  const waiting: ((frame: JsonObject | null) => void)[] = [];
  let rest = "";
  let over = false;
  const end = (): void => {
    over = true;
    for (const settle of waiting.splice(0)) settle(null);
  };
  socket.on("data", (chunk) => {
    rest += chunk.toString("utf8");
    for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n")) {
      const frame: unknown = JSON.parse(rest.slice(0, at));
      rest = rest.slice(at + 1);
      if (!isJsonObject(frame)) throw new Error("the daemon said something that is not an object");
      const settle = waiting.shift();
      if (settle === undefined) frames.push(frame);
      else settle(frame);
    }
  });
  socket.on("end", end);
  socket.on("error", end);
  const closed = new Promise<void>((settle) => socket.on("close", () => settle()));
  await new Promise<void>((settle, reject) => {
    socket.once("connect", settle);
    socket.once("error", reject);
  });

  const next = (): Promise<JsonObject | null> => {
    const frame = frames.shift();
    if (frame !== undefined || over) return Promise.resolve(frame ?? null);
    return new Promise((settle) => void waiting.push(settle));
  };
  const answer = async (id: string | number): Promise<JsonObject | null> => {
    for (let frame = await next(); frame !== null; frame = await next()) if (frame["id"] === id) return frame;
    return null;
  };
  const call = (id: string | number, method: string, params: JsonObject = {}): void => {
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  };
  return {
    socket,
    closed,
    next,
    answer,
    call,
    send: (bytes) => void socket.write(bytes),
    authenticate: (token, more = {}) => {
      call("auth", "authenticate", { token, ...more });
      return answer("auth");
    },
    close: () => void socket.destroy(),
  };
}
