import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { countersign } from "../support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { MAIN } from "../support/program.ts";
import { attachOperator, type Session } from "../support/session.ts";

let daemon: TestDaemon;
let operator: Session;
beforeAll(async () => {
  daemon = await startTestDaemon({ document: { version: 1, agents: { "*": { allowlist: ["/usr/bin/echo", "/usr/bin/false"] } } } });
  operator = await attachOperator(daemon);
});
afterAll(async () => {
  operator.close();
  await daemon.stop();
});

interface Mcp {
  call(method: string, params: JsonObject): Promise<JsonObject>;
  tool(name: string, args: JsonObject): Promise<JsonObject>;
  notify(method: string, params: JsonObject): void;
  lastId(): number;
  end(): Promise<number | null>;
}

/** Speaks MCP as any client does: one JSON object per line. */
async function mcp(flags: readonly string[] = [], at = daemon): Promise<Mcp> {
  const child = spawn(process.execPath, [MAIN, "mcp", "--state-dir", at.stateDir, ...flags], {
    cwd: at.home,
    env: { PATH: process.env["PATH"] ?? "", HOME: at.home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (answer: JsonObject) => void>();
  let id = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const frame: unknown = JSON.parse(line);
    if (isJsonObject(frame) && typeof frame["id"] === "number") waiting.get(frame["id"])?.(frame);
  });
  const say = (frame: JsonObject): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`);
  const call = async (method: string, params: JsonObject): Promise<JsonObject> => {
    id += 1;
    const mine = id;
    const answer = new Promise<JsonObject>((resolve) => waiting.set(mine, resolve));
    say({ id: mine, method, params });
    return answer;
  };
  const opened = await call("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  expect(opened).toMatchObject({ result: { serverInfo: { name: "countersign" } } });
  say({ method: "notifications/initialized" });
  return {
    call,
    tool: async (name, args) => {
      const { result, error } = await call("tools/call", { name, arguments: args });
      return isJsonObject(result) ? result : { error: error ?? null };
    },
    notify: (method, params) => say({ method, params }),
    lastId: () => id,
    end: () =>
      new Promise((resolve) => {
        child.on("close", resolve);
        child.stdin.end();
      }),
  };
}

async function decide(decision: string): Promise<void> {
  for (let round = 0; round < 200; round += 1) {
    const { approvals } = await operator.must("exec.approval.list", { state: "pending" });
    const [first] = Array.isArray(approvals) ? approvals : [];
    if (isJsonObject(first)) return void (await operator.must("exec.approval.resolve", { id: first["id"] ?? null, decision }));
    await sleep(20);
  }
  throw new Error("nothing was asked");
}

function textOf(answer: JsonObject): string {
  const [first] = Array.isArray(answer["content"]) ? answer["content"] : [];
  return isJsonObject(first) && typeof first["text"] === "string" ? first["text"] : "";
}

describe("countersign mcp", () => {
  test("offers two tools, described by the schemas that check them", async () => {
    const server = await mcp();
    const { result } = await server.call("tools/list", {});
    const tools = isJsonObject(result) && Array.isArray(result["tools"]) ? result["tools"] : [];
    expect(tools).toMatchObject([
      { name: "system_run", inputSchema: { type: "object", properties: { argv: { type: "array" }, command: { type: "string" } } } },
      { name: "permission_prompt", inputSchema: { type: "object", required: ["tool_name", "input"] } },
    ]);
    expect(await server.end()).toBe(0);
  });

  test("system_run runs what is listed, and says how it ended", async () => {
    const server = await mcp();
    expect(await server.tool("system_run", { argv: ["/usr/bin/echo", "hi"] })).toMatchObject({
      content: [{ type: "text", text: "hi\n\n[exit code 0]" }],
      structuredContent: { exitCode: 0, decidedBy: "allowlist" },
      isError: false,
    });
    expect(await server.tool("system_run", { argv: ["/usr/bin/false"] })).toMatchObject({
      isError: true,
      structuredContent: { exitCode: 1 },
    });
    await server.end();
  });

  test("system_run waits for a person, and a refusal starts nothing and has its code", async () => {
    const server = await mcp(["--agent", "claude"]);
    const allowed = server.tool("system_run", { argv: ["/usr/bin/id", "-u"] });
    await decide("allow-once");
    expect(textOf(await allowed)).toContain("[exit code 0]");
    const denied = server.tool("system_run", { argv: ["/usr/bin/id", "-u"] });
    await decide("deny");
    expect(await denied).toMatchObject({ isError: true, structuredContent: { refused: { code: "approval.denied", started: "no" } } });
    expect(textOf(await denied)).toContain("nothing was started");
    await server.end();
  });

  test("a daemon that is gone before it answers has started nobody knows what, and the agent is not told to try again", async () => {
    const mortal = await startTestDaemon({ document: { version: 1, agents: { "*": { allowlist: ["/usr/bin/sleep"] } } } });
    try {
      const server = await mcp([], mortal);
      const running = server.tool("system_run", { argv: ["/usr/bin/sleep", "5"] });
      const watching = await attachOperator(mortal);
      for (let round = 0; round < 200; round += 1) {
        const { records } = await watching.must("audit.tail", { limit: 5 });
        if (JSON.stringify(records).includes('"type":"run.starting"')) break;
        await sleep(20);
      }
      watching.close();
      await mortal.kill();
      const answer = await running;
      expect(answer).toMatchObject({ isError: true, structuredContent: { refused: { code: "client.closed", started: "unknown" } } });
      expect(textOf(answer)).toContain("not known whether it ran");
      expect(textOf(answer)).not.toContain("try again");
      await server.end();
    } finally {
      await mortal.stop();
    }
  });

  test("a call that is cancelled takes its question back", async () => {
    const server = await mcp();
    void server.tool("system_run", { argv: ["/usr/bin/id", "-g"] });
    const pending = async (): Promise<number> => {
      const { approvals } = await operator.must("exec.approval.list", { state: "pending" });
      return Array.isArray(approvals) ? approvals.length : 0;
    };
    for (let round = 0; round < 200 && (await pending()) === 0; round += 1) await sleep(20);
    server.notify("notifications/cancelled", { requestId: server.lastId() });
    for (let round = 0; round < 200 && (await pending()) > 0; round += 1) await sleep(20);
    expect(await pending()).toBe(0);
    await server.end();
  });

  test.each<[string, JsonObject]>([
    ["nothing to run", {}],
    ["two things to run", { argv: ["ls"], command: "ls" }],
    ["words that are numbers", { argv: [1] }],
    ["a member it does not know", { argv: ["ls"], approvalToken: "x" }],
  ])("system_run with %s is refused", async (_, args) => {
    const server = await mcp();
    const answer = await server.tool("system_run", args);
    expect(answer["isError"] === true || answer["error"] !== undefined).toBe(true);
    await server.end();
  });

  test("permission_prompt allows a command by rewriting it to one that is bound, and that command runs", async () => {
    const server = await mcp();
    const asked = server.tool("permission_prompt", {
      tool_name: "Bash",
      input: { command: "id -u", description: "who" },
      tool_use_id: "t1",
    });
    await decide("allow-once");
    const answer: unknown = JSON.parse(textOf(await asked));
    expect(answer).toMatchObject({
      behavior: "allow",
      updatedInput: { description: "who", command: expect.stringContaining("--approval=") },
    });
    const input = isJsonObject(answer) ? answer["updatedInput"] : undefined;
    const command = isJsonObject(input) && typeof input["command"] === "string" ? input["command"] : "";
    const shown = await new Promise<string>((resolve) => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: daemon.home };
      execFile("/bin/sh", ["-c", command], { env, cwd: daemon.home }, (_, stdout) => resolve(stdout));
    });
    expect(shown).toBe(`${process.getuid?.()}\n`);
    await server.end();
  });

  test("permission_prompt denies what a person denies, what it cannot read, and what it was not set up for", async () => {
    const server = await mcp();
    const asked = server.tool("permission_prompt", { tool_name: "Bash", input: { command: "id" } });
    await decide("deny");
    expect(JSON.parse(textOf(await asked))).toMatchObject({ behavior: "deny", message: expect.stringContaining("said no") });
    const odd = await server.tool("permission_prompt", { tool_name: "Bash", input: {} });
    expect(JSON.parse(textOf(odd))).toMatchObject({ behavior: "deny" });
    const other = { tool_name: "Write", input: { file_path: "x", content: "" } };
    expect(JSON.parse(textOf(await server.tool("permission_prompt", other)))).toMatchObject({ behavior: "deny" });
    await server.end();
    const trusting = await mcp(["--allow-by-tool-policy"]);
    expect(JSON.parse(textOf(await trusting.tool("permission_prompt", other)))).toMatchObject({
      behavior: "allow",
      updatedInput: other.input,
    });
    await trusting.end();
  });

  test("nothing else pays for it: the SDK is loaded by no other command", async () => {
    const env = { NODE_DEBUG: "esm" };
    const { stderr } = await countersign(["status", "--state-dir", daemon.stateDir], { env });
    expect(stderr).toContain("/main.js");
    expect(stderr).not.toContain("modelcontextprotocol");
  });
});
