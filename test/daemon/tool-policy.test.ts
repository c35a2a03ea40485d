import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, connect, isCallError } from "../../src/client/client.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";

let daemon: TestDaemon;
let gateway: Client;
beforeAll(async () => {
  daemon = await startTestDaemon({
    document: { version: 1, defaults: { security: "full", ask: "off" } },
    settings: {
      tools: { deny: ["browser"], elevated: { enabled: true, allowFrom: { chat: ["id:42"] } } },
      agents: {
        list: [
          { id: "reader", tools: { deny: ["exec"] } },
          { id: "asked", tools: { exec: { ask: "always" } } },
        ],
      },
    },
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

const sandboxed = (elevated: string, id: string) => ({ context: { sandboxed: true, elevated, sender: { id }, channel: "chat" } });

test("what belongs in a sandbox does not run here, unless a listed sender asked for elevated mode", async () => {
  const codeOf = async (params: JsonObject): Promise<unknown> =>
    gateway.call("system.run", { argv: ["true"], ...params }).then(
      ({ exitCode }) => exitCode,
      (error: unknown) => (isCallError(error) ? error.code : error),
    );
  expect(await codeOf({ context: { sandboxed: true } })).toBe("policy.elevated-refused");
  expect(await codeOf(sandboxed("on", "7"))).toBe("policy.elevated-refused");
  expect(await codeOf(sandboxed("on", "42"))).toBe(0);
  expect(await codeOf(sandboxed("ask", "42"))).toBe("approval.required");
  expect(await codeOf({ agentId: "asked" })).toBe("approval.required");
  expect(await codeOf({ agentId: "asked", ...sandboxed("full", "42") })).toBe(0);
  expect(await codeOf({ agentId: "reader", ...sandboxed("full", "42") })).toBe("policy.tool-denied");
});

test("a refused attempt to leave the sandbox is a security event", async () => {
  const operator = await connect({ socketPath: daemon.socketPath, token: daemon.operatorToken, role: "operator" });
  try {
    const asked = { sender: "id:7", channel: "chat", mode: "full", sandboxed: true };
    await expect(gateway.call("elevated.evaluate", asked)).rejects.toMatchObject({ code: "policy.elevated-refused" });
    expect(await gateway.call("elevated.evaluate", { ...asked, sender: { id: "42" } })).toMatchObject({ where: "host", approval: "none" });
    const { records } = await operator.call("audit.tail", {});
    expect(records).toContainEqual(
      expect.objectContaining({
        type: "security.event",
        details: expect.objectContaining({ kind: "policy.elevated-refused", channel: "chat" }),
      }),
    );
  } finally {
    operator.close();
  }
});
