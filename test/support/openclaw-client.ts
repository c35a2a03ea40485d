/** A client of OpenClaw's dialect, written from protocol section 9 alone: one line, then FIN, then one line back. */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { createConnection, type Socket } from "node:net";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";

export interface Exchange {
  readonly socket: Socket;
  /** `null` when the connection ended without an answer. */
  readonly answer: Promise<JsonObject | null>;
}

export function exchange(socketPath: string, line: string): Exchange {
  const socket = createConnection({ path: socketPath, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const answer = new Promise<JsonObject | null>((resolve, reject) => {
    socket.on("data", (chunk) => void chunks.push(chunk));
    socket.on("error", () => resolve(null));
    socket.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      if (text === "") return resolve(null);
      const said: unknown = JSON.parse(text);
      if (!text.endsWith("\n") || text.indexOf("\n") !== text.length - 1 || !isJsonObject(said))
        return reject(new Error(`not one line: ${text}`));
      return resolve(said);
    });
    socket.on("close", () => resolve(null));
  });
  socket.end(`${line}\n`);
  return { socket, answer };
}

export function requestLine(token: string, request: JsonObject, more: JsonObject = {}): string {
  return JSON.stringify({ type: "request", token, id: randomUUID(), request, ...more });
}

export function execLine(token: string, request: JsonObject | string, more: JsonObject = {}): string {
  const requestJson = typeof request === "string" ? request : JSON.stringify(request);
  const signed = { nonce: randomBytes(16).toString("hex"), ts: Date.now(), ...more };
  const hmac = createHmac("sha256", token).update(`${signed.nonce}:${signed.ts}:${requestJson}`).digest("hex");
  return JSON.stringify({ type: "exec", id: randomUUID(), hmac, requestJson, ...signed });
}
