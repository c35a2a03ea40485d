/** A listener that speaks just enough of the protocol to lead a client into every corner, over a real socket. */
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { proofOf } from "../../src/client/proof.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { scratchDirectory } from "./scratch.ts";

export interface Peer {
  notify(method: string, params: JsonObject): void;
  /** Bytes as they are, for answers that no daemon should give. */
  raw(bytes: string | Buffer): void;
  hangUp(): void;
  readonly gone: Promise<void>;
}

export type Answer = (params: JsonObject, peer: Peer) => JsonValue | Promise<JsonValue>;

export class Refusal extends Error {
  readonly data: JsonObject;
  constructor(code: string, message: string, details: JsonObject = {}) {
    super(message);
    this.data = { code, ...details };
  }
}

export interface FakeDaemon {
  readonly socketPath: string;
  readonly directory: string;
  readonly calls: readonly { readonly method: string; readonly params: JsonObject }[];
  readonly tokensSeen: readonly string[];
  stop(): Promise<void>;
  /** Drops every connection and listens on: what a client sees of a restart. */
  restart(): Promise<void>;
}

export const TOKEN = "fake-token";

export async function startFakeDaemon(answers: Readonly<Record<string, Answer>>, token = TOKEN): Promise<FakeDaemon> {
  const scratch = scratchDirectory();
  const socketPath = join(scratch.path, "s.sock");
  const calls: { method: string; params: JsonObject }[] = [];
  const tokensSeen: string[] = [];
  const sockets = new Set<Socket>();
  let server: Server;

  const serve = (socket: Socket): void => {
    sockets.add(socket);
    let role = "";
    let nonce = "";
    let held = "";
    const gone = new Promise<void>((resolve) => {
      socket.on("close", () => {
        sockets.delete(socket);
        resolve();
      });
    });
    socket.on("error", () => {});
    const peer: Peer = {
      gone,
      raw: (bytes) => void socket.write(bytes),
      hangUp: () => void socket.destroy(),
      notify: (method, params) => void socket.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`),
    };
    const builtIn: Readonly<Record<string, Answer>> = {
      hello: (params) => {
        role = words(params["role"]);
        nonce = words(params["nonce"]);
        return {
          nonce: "server-nonce",
          proof: proofOf(token, "server", role === "operator" ? "operator" : "gateway", nonce, "server-nonce"),
        };
      },
      authenticate: (params) => {
        if (typeof params["token"] === "string") tokensSeen.push(params["token"]);
        const expected = proofOf(token, "client", role === "operator" ? "operator" : "gateway", nonce, "server-nonce");
        if (params["proof"] !== expected && params["token"] !== token) throw new Refusal("auth.failed", "the credential is not valid");
        return {
          role: role === "operator" ? role : "gateway",
          server: "countersign/0.1.0",
          protocol: 1,
          hostId: "host-1",
          enforcement: { level: "sealed" },
        };
      },
      "events.subscribe": () => ({}),
    };
    const answer = async (frame: JsonObject): Promise<void> => {
      const method = words(frame["method"]);
      const params = isJsonObject(frame["params"]) ? frame["params"] : {};
      calls.push({ method, params });
      const respond = answers[method] ?? builtIn[method];
      try {
        if (respond === undefined) throw new Refusal("wire.unknown-method", `there is no method \`${method}\``);
        const result = await respond(params, peer);
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: frame["id"], result })}\n`);
      } catch (error) {
        const data = error instanceof Refusal ? error.data : { code: "internal" };
        const message = error instanceof Error ? error.message : "?";
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: frame["id"], error: { code: -32000, message, data } })}\n`);
      }
    };
    socket.on("data", (chunk) => {
      const lines = (held + chunk.toString("utf8")).split("\n");
      held = lines.pop() ?? "";
      for (const line of lines) {
        const frame: unknown = JSON.parse(line);
        if (isJsonObject(frame)) void answer(frame);
      }
    });
  };
  const listen = async (): Promise<void> => {
    server = createServer(serve);
    await new Promise<void>((resolve) => void server.listen(socketPath, resolve));
  };
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  await listen();
  return {
    socketPath,
    directory: scratch.path,
    calls,
    tokensSeen,
    stop: async () => {
      await close();
      scratch.remove();
    },
    restart: async () => {
      await close();
      await listen();
    },
  };
}

function words(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
