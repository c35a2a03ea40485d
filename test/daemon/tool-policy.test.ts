import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, connect, isCallError } from "../../src/client/client.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";

let daemon: TestDaemon;
let gateway: Client;
beforeAll(async () => {
  daemon = await startTestDaemon({
    document: { version: 1, defaults: { security: "full", ask: "off" } },
    settings: { tools: { deny: ["browser"] }, agents: { list: [{ id: "reader", tools: { deny: ["exec"] } }] } },
  });
  gateway = await connect({ socketPath: daemon.socketPath, token: daemon.gatewayToken, role: "gateway" });
});
afterAll(async () => {
  gateway.close();
  await daemon.stop();
});

test("an agent that may not call exec runs nothing, whatever the exec policy says, and is told which layer said no", async () => {
  const refused: unknown = await gateway.call("system.run", { argv: ["true"], agentId: "reader" }).catch((error: unknown) => error);
  expect(isCallError(refused) && refused.code).toBe("policy.tool-denied");
  expect(refused).toMatchObject({ data: { layer: "agent" } });
  expect(await gateway.call("system.run", { argv: ["true"] })).toMatchObject({ exitCode: 0 });
});

test("tools.evaluate and tools.list answer from the same layers", async () => {
  expect(await gateway.call("tools.evaluate", { tool: "browser" })).toMatchObject({ allowed: false, code: "policy.tool-denied" });
  expect(await gateway.call("tools.evaluate", { tool: "exec", agentId: "reader" })).toMatchObject({ allowed: false });
  expect(await gateway.call("tools.evaluate", { tool: "exec" })).toMatchObject({ allowed: true, code: null });
  const { tools } = await gateway.call("tools.list", { agentId: "reader" });
  expect(tools).toContain("read");
  expect(tools).not.toContain("exec");
});
