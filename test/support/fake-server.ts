/** Somebody else at the socket's path: takes whatever it is told, and answers as if it knew. */
import { createServer } from "node:net";

export interface FakeServer {
  /** Everything that any client ever said. */
  heard(): string;
  close(): Promise<void>;
}

export async function fakeServerAt(path: string): Promise<FakeServer> {
  let heard = "";
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString("utf8");
      const id = /"id":\s*("[^"]*"|\d+)/.exec(chunk.toString("utf8"))?.[1] ?? "null";
      const proof = Buffer.alloc(32, 7).toString("base64url");
      socket.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"nonce":"${proof}","proof":"${proof}","role":"operator","server":"countersign/0.1.0","protocol":1,"hostId":"x","enforcement":{"level":"sealed"}}}\n`,
      );
    });
  });
  await new Promise<void>((settle, reject) => {
    server.once("error", reject);
    server.listen(path, settle);
  });
  return { heard: () => heard, close: () => new Promise((settle) => void server.close(() => settle())) };
}
