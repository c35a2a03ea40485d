/** What one run writes goes to nobody else, whichever numbers the kernel gives out meanwhile. */
import { createConnection, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { openSession } from "../support/session.ts";

let daemon: TestDaemon;
beforeEach(async () => {
  const allowlist = ["sleep", "echo", "cat"].map((name) => `/usr/bin/${name}`);
  daemon = await startTestDaemon({ document: { version: 1, agents: { main: { ask: "off", allowlist } } } });
});
afterEach(() => daemon.stop());

test("a list in the background of a shell in a pipeline writes into that pipe, and not to whoever connected meanwhile", async () => {
  const gateway = await openSession(daemon, "gateway");
  const running = gateway.must("system.run", { command: "sh -c 'sleep 0.3 && echo secret &' | cat", cwd: "/" });
  await sleep(100);
  const heard: string[] = [];
  const strangers: readonly Socket[] = Array.from({ length: 6 }, () =>
    createConnection(daemon.socketPath).on("data", (bytes: Buffer) => void heard.push(bytes.toString())),
  );
  expect(await running).toMatchObject({ exitCode: 0, stdout: "secret\n", stderr: "" });
  await sleep(50);
  for (const stranger of strangers) stranger.destroy();
  gateway.close();
  expect(heard).toEqual([]);
});
