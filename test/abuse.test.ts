import { createConnection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLOSING_MAX, CONNECTIONS_KEPT_FOR_OPERATORS, CONNECTIONS_MAX, UNAUTHENTICATED_MAX } from "../src/core/limits.ts";
import { exchange } from "./attacks/players/wire/exchange.ts";
import { idle, slowly } from "./attacks/players/wire/floods.ts";
import { witnessed } from "./attacks/players/wire/witness.ts";
import { type Scene, sceneOf } from "./attacks/stage.ts";
import { startTestDaemon, type TestDaemon } from "./support/daemon.ts";
import { isAlive } from "./support/processes.ts";
import { type RawClient, rawClient } from "./support/raw-client.ts";
import { openSession, type Session } from "./support/session.ts";

let daemon: TestDaemon;
let scene: Scene;

beforeAll(async () => {
  daemon = await startTestDaemon({ document: { version: 1, agents: { free: { security: "full", ask: "off" } } } });
  scene = await sceneOf(daemon, false);
});
afterAll(async () => {
  scene.leave();
  await daemon.stop();
});

/** Each gets its code or its limit; beside it a bystander keeps being answered within a second, and the daemon stays below 150 MB. */
async function survives(work: () => Promise<readonly string[]>): Promise<void> {
  expect(await witnessed(scene, work)).toEqual([]);
  expect(isAlive(daemon.process.pid ?? 0)).toBe(true);
}

const nested = `{"jsonrpc":"2.0","id":1,"method":"status","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
const FRAMES: readonly (readonly [string, string | Buffer, string])[] = [
  ["`null`", "null", "wire.not-an-object"],
  ["a list", "[]", "wire.not-an-object"],
  ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), "wire.bad-utf8"],
  ["a lone surrogate", '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', "wire.bad-utf8"],
  ["duplicate keys", '{"jsonrpc":"2.0","id":1,"id":2,"method":"status"}', "wire.duplicate-key"],
  ["duplicate keys far inside", '{"jsonrpc":"2.0","id":1,"method":"status","params":{"a":[{"b":1,"b":2}]}}', "wire.duplicate-key"],
  ["`__proto__`", '{"jsonrpc":"2.0","id":1,"method":"status","params":{"__proto__":{}}}', "wire.forbidden-key"],
  ["100,000 levels", nested, "wire.too-deep"],
  ["half an object", '{"jsonrpc":"2.0"', "wire.bad-json"],
];

describe("a frame that is none", () => {
  test.each(FRAMES)("%s is refused before authentication, and the connection ends", (_name, frame) =>
    survives(async () => {
      const { said, closed } = await exchange(daemon.socketPath, Buffer.concat([Buffer.from(frame), Buffer.from("\n")]));
      return closed && /"code":"(wire|auth)\./.test(said) ? [] : [`closed ${closed}, said ${said}`];
    }),
  );

  test.each(FRAMES)("%s gets its code after authentication, and the connection lives on", (_name, frame, code) =>
    survives(async () => {
      const client = await known();
      client.send(Buffer.concat([Buffer.from(frame), Buffer.from("\n")]));
      const refused = JSON.stringify(await client.next());
      client.call(9, "status");
      const answered = await client.answer(9);
      client.close();
      return refused.includes(`"${code}"`) && answered?.["result"] !== undefined ? [] : [refused, JSON.stringify(answered)];
    }),
  );

  test.each([
    ["before", false],
    ["after", true],
  ])("100 MB without a line feed, %s authentication, end the connection and cost nothing", (_when, authenticated) =>
    survives(async () => {
      const client = authenticated ? await known() : await rawClient(daemon.socketPath);
      const chunk = Buffer.alloc(1024 * 1024, "a");
      for (let sent = 0; sent < 100 && client.socket.writable; sent += 1) {
        if (!client.socket.write(chunk))
          await Promise.race([new Promise((settle) => client.socket.once("drain", settle)), client.closed, sleep(2000)]);
      }
      const refused = JSON.stringify(await client.next());
      client.close();
      // A peer that goes on talking may lose the answer to a reset; the connection is over either way.
      return refused.includes("wire.line-too-long") || refused === "null" ? [] : [refused];
    }),
  );
});

describe("clients in bad shape", () => {
  test("one that ends its side after the question still gets the answer", () =>
    survives(async () => {
      const client = await rawClient(daemon.socketPath);
      await client.authenticate(daemon.gatewayToken, { halfClose: true });
      client.call(1, "system.run", { argv: ["/bin/sleep", "0.2"], cwd: "/", agentId: "free" });
      client.socket.end();
      const answer = await client.answer(1);
      return answer?.["result"] === undefined ? [JSON.stringify(answer)] : [];
    }));

  test("a slow one that sends a proper frame byte by byte is answered", () =>
    survives(async () => {
      const client = await known();
      for (const byte of '{"jsonrpc":"2.0","id":5,"method":"status"}\n') {
        client.send(byte);
        await sleep(2);
      }
      const answer = await client.answer(5);
      client.close();
      return answer?.["result"] === undefined ? [JSON.stringify(answer)] : [];
    }));

  test("slow ones that never finish are gone after the deadline", () => survives(() => slowly(scene, 200, 4)), 30_000);

  test("one that asks and never reads is not read either", () =>
    survives(async () => {
      const client = await known();
      client.socket.pause();
      const frames = '{"jsonrpc":"2.0","id":5,"method":"status"}\n'.repeat(1000);
      for (let sent = 0; sent < 100; sent += 1) client.send(frames);
      await sleep(1500);
      client.close();
      return [];
    }));
});

describe("a crowd", () => {
  test("1,000 connections at once cost no more than the limit", () => survives(() => idle(scene, 1000)));

  test("known ones fill all seats but the operators', who still get in", async () => {
    const seats = CONNECTIONS_MAX - CONNECTIONS_KEPT_FOR_OPERATORS;
    const sessions: Session[] = [];
    const refusals: string[] = [];
    try {
      for (let seat = 0; seat <= seats && refusals.length === 0; seat += 1) {
        try {
          sessions.push(await openSession(daemon, "gateway"));
        } catch (error) {
          refusals.push(error instanceof Error && "code" in error ? String(error.code) : String(error));
        }
      }
      expect(refusals).toEqual(["overloaded"]);
      expect(sessions.length).toBeGreaterThan(seats - 8);
      const operator = await openSession(daemon, "operator");
      expect((await operator.call("status")).ok).toBe(true);
      operator.close();
    } finally {
      for (const session of sessions) session.close();
    }
    await sleep(200);
    (await openSession(daemon, "gateway")).close();
  });

  test("strangers make room for each other, the oldest first", async () => {
    const strangers = Array.from({ length: UNAUTHENTICATED_MAX + CLOSING_MAX + 10 }, () =>
      createConnection({ path: daemon.socketPath })
        .on("error", () => {})
        .resume(),
    );
    await sleep(1800);
    const open = strangers.map(({ readyState }) => readyState === "open");
    for (const stranger of strangers) stranger.destroy();
    expect(open.slice(0, 5)).toEqual([false, false, false, false, false]);
    expect(open.slice(-5)).toEqual([true, true, true, true, true]);
    expect(open.filter(Boolean).length).toBeLessThanOrEqual(UNAUTHENTICATED_MAX);
  });
});

async function known(): Promise<RawClient> {
  const client = await rawClient(daemon.socketPath);
  await client.authenticate(daemon.gatewayToken);
  return client;
}
