/** Bytes out, bytes back: what the daemon says to exactly this, before and after a credential was shown. */
import { createConnection } from "node:net";
import { rawClient } from "../../../support/raw-client.ts";
import type { Scene } from "../../stage.ts";

export interface Exchange {
  readonly said: string;
  readonly closed: boolean;
}

const SILENCE_MS = 1500;

/** Settles when the daemon ends the connection, or has nothing more to say. */
export function exchange(socketPath: string, bytes: string | Uint8Array, halfClose = false): Promise<Exchange> {
  return new Promise((settle) => {
    const socket = createConnection({ path: socketPath, allowHalfOpen: true });
    let said = "";
    let timer = setTimeout(() => done(false), SILENCE_MS);
    const done = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      settle({ said, closed });
    };
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      clearTimeout(timer);
      timer = setTimeout(() => done(false), SILENCE_MS);
    });
    socket.on("end", () => done(true));
    socket.on("close", () => done(true));
    socket.on("error", () => done(true));
    socket.on("connect", () => {
      socket.write(bytes);
      if (halfClose) socket.end();
    });
  });
}

/** The same bytes from somebody who is known: they get an error, and the connection lives on. */
export async function afterAuthentication({ daemon }: Pick<Scene, "daemon">, bytes: string | Uint8Array): Promise<readonly string[]> {
  const client = await rawClient(daemon.socketPath);
  await client.authenticate(daemon.gatewayToken);
  client.send(bytes);
  const frame = await Promise.race([client.next(), new Promise<"silent">((settle) => setTimeout(() => settle("silent"), SILENCE_MS))]);
  client.close();
  if (frame === "silent") return ["it was not answered"];
  if (frame === null) return [];
  return /"code":"wire\.[a-z0-9-]+"/.test(JSON.stringify(frame["error"] ?? null)) ? [] : [`it was answered with ${JSON.stringify(frame)}`];
}

/** Nothing that was said may be a yes, and no secret may be in it. */
export function unfitAnswer({ daemon }: Pick<Scene, "daemon">, { said }: Exchange): readonly string[] {
  return [
    ...(/"decision":"allow|"ok":true|"exitCode"|"role":/.test(said) ? [`it was answered with ${said}`] : []),
    ...([daemon.gatewayToken, daemon.operatorToken].some((secret) => said.includes(secret)) ? ["the answer holds a token"] : []),
  ];
}
