import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isJsonObject } from "../src/core/json.ts";
import { INCOMING_BYTES_TOTAL_MAX, LINE_BYTES_MAX } from "../src/core/limits.ts";
import { witnessed } from "./attacks/players/wire/witness.ts";
import { startTestDaemon, type TestDaemon } from "./support/daemon.ts";
import { until } from "./support/processes.ts";
import { type RawClient, rawClient } from "./support/raw-client.ts";
import { openSession } from "./support/session.ts";

const MEBIBYTE = 1024 * 1024;
/** What the daemon is without anybody, the bound itself, and what the collector lets lie before it looks: 64 MiB of buffers, in V8. */
const RESIDENT_BYTES_MAX = 80 * MEBIBYTE + INCOMING_BYTES_TOTAL_MAX + 80 * MEBIBYTE;
const HOARDERS = 400;

let daemon: TestDaemon;
let clients: RawClient[];
beforeEach(async () => {
  clients = [];
  daemon = await startTestDaemon();
});
afterEach(async () => {
  for (const client of clients) client.close();
  await daemon.stop();
});

async function known(token: string): Promise<RawClient> {
  const client = await rawClient(daemon.socketPath);
  clients.push(client);
  await client.authenticate(token);
  return client;
}

async function hoard(connections: number, bytes: number): Promise<readonly RawClient[]> {
  const hoarders: RawClient[] = [];
  for (let opened = 0; opened < connections; opened += 1) {
    const hoarder = await known(daemon.gatewayToken);
    hoarder.send(Buffer.alloc(bytes, "a"));
    hoarders.push(hoarder);
  }
  return hoarders;
}

const isOpen = ({ socket }: RawClient): boolean => socket.readyState === "open";

describe("hundreds of connections with a line that they do not finish", () => {
  test("hold no more than the bound; those beyond it are told, others are answered and operators get in", async () => {
    const early = await known(daemon.operatorToken);
    early.send(" ".repeat(LINE_BYTES_MAX - 1000));
    const noticed = await witnessed(
      { daemon },
      async () => {
        const hoarders = await hoard(HOARDERS, LINE_BYTES_MAX - 1000);
        const most = INCOMING_BYTES_TOTAL_MAX / LINE_BYTES_MAX;
        await until(() => hoarders.filter(isOpen).length <= most, 5000);
        const left = hoarders.filter(isOpen);
        expect(left.length).toBeLessThanOrEqual(most);
        // Nobody goes beyond what is needed: what the others held was let go at once.
        expect(left.length).toBeGreaterThan(most - 4);
        const [first] = hoarders;
        expect(codeOf(await first?.next())).toBe("overloaded");
        expect(await first?.next()).toBeNull();
        const operator = await openSession(daemon, "operator");
        await operator.must("status");
        operator.close();
        return [];
      },
      RESIDENT_BYTES_MAX,
    );
    expect(noticed).toEqual([]);
    early.send('{"jsonrpc":"2.0","id":7,"method":"status"}\n');
    expect(await early.answer(7)).toHaveProperty("result");
  });

  test("do not get in the way of a longer one that is sent in one go", async () => {
    const honest = await known(daemon.gatewayToken);
    const sendLong = async (id: number): Promise<void> => {
      const bare = `{"jsonrpc":"2.0","id":${id},"method":"status"`;
      honest.send(`${bare}${" ".repeat(LINE_BYTES_MAX - bare.length - 1)}}\n`);
      expect(await honest.answer(id)).toHaveProperty("result");
    };
    // That it sent one before they came is not held against it: that one has ended.
    await sendLong(0);
    await hoard(120, 400_000);
    for (let id = 1; id < 20; id += 1) await sendLong(id);
  });
});

function codeOf(frame: unknown): unknown {
  const error = isJsonObject(frame) ? frame["error"] : undefined;
  const data = isJsonObject(error) ? error["data"] : undefined;
  return isJsonObject(data) ? data["code"] : frame;
}
