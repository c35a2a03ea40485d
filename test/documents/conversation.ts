/** Talks to a live daemon and keeps what was said, frame by frame, in the order in which it was said. */
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { type RawClient, rawClient } from "../support/raw-client.ts";

export interface Said {
  readonly who: "→" | "←";
  readonly frame: JsonObject;
}

export interface Conversation {
  /** Everything since the last time it was asked. */
  taken(): readonly Said[];
  /** Sends a call and waits for its answer; notifications before it are kept too. */
  call(method: string, params: JsonObject): Promise<JsonObject>;
  send(method: string, params: JsonObject): number;
  /** The next frame, whatever it is. */
  heard(): Promise<JsonObject>;
  close(): void;
}

export async function converse(socketPath: string): Promise<Conversation> {
  const client: RawClient = await rawClient(socketPath);
  let said: Said[] = [];
  let id = 0;
  const heard = async (): Promise<JsonObject> => {
    const frame = await client.next();
    if (frame === null) throw new Error("the daemon ended the conversation");
    said.push({ who: "←", frame });
    return frame;
  };
  const send = (method: string, params: JsonObject): number => {
    id += 1;
    const frame = { jsonrpc: "2.0", id, method, params };
    said.push({ who: "→", frame });
    client.send(`${JSON.stringify(frame)}\n`);
    return id;
  };
  return {
    heard,
    send,
    taken: () => {
      const all = said;
      said = [];
      return all;
    },
    call: async (method, params) => {
      const mine = send(method, params);
      for (;;) {
        const frame = await heard();
        if (frame["id"] === mine) return isJsonObject(frame["result"]) ? frame["result"] : {};
      }
    },
    close: () => client.close(),
  };
}
