/** The public contract as a client in any language meets it: frames over the socket, exact members, hashes worked out anew. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../src/core/json.ts";
import { startTestDaemon, type TestDaemon } from "./support/daemon.ts";
import { type RawClient, rawClient } from "./support/raw-client.ts";

let daemon: TestDaemon;
let gateway: RawClient;
let operator: RawClient;
let calls = 0;

beforeAll(async () => {
  daemon = await startTestDaemon({ document: { version: 1, agents: { free: { security: "full", ask: "off" } } } });
  gateway = await rawClient(daemon.socketPath);
  await gateway.authenticate(daemon.gatewayToken);
  operator = await rawClient(daemon.socketPath);
  await operator.authenticate(daemon.operatorToken);
  await result(operator, "events.subscribe", { topics: ["exec.approval.requested"] });
});
afterAll(async () => {
  gateway.close();
  operator.close();
  await daemon.stop();
});

async function said(client: RawClient, method: string, params: JsonObject): Promise<JsonObject> {
  calls += 1;
  client.call(calls, method, params);
  return (await client.answer(calls)) ?? {};
}

async function result(client: RawClient, method: string, params: JsonObject = {}): Promise<JsonObject> {
  const answer = await said(client, method, params);
  return within(answer, "result");
}

async function codeOf(client: RawClient, method: string, params: JsonObject): Promise<JsonValue | undefined> {
  const answer = await said(client, method, params);
  return within(within(answer, "error"), "data")["code"];
}

function text(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new Error(`not a text: ${JSON.stringify(value)}`);
  return value;
}

function within(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  if (!isJsonObject(found)) throw new Error(`no object \`${key}\` in ${JSON.stringify(value)}`);
  return found;
}

async function asked(argv: readonly string[], agentId = "main"): Promise<string> {
  const { id } = await result(gateway, "exec.approval.request", { argv, agentId, twoPhase: true });
  return text(id);
}

const DECISION = ["outcome", "code", "reason", "matchedBy", "allowedDecisions"];

test("a decision has all its members whatever its outcome is", async () => {
  const allowed = within(await result(gateway, "system.run.prepare", { argv: ["ls"], agentId: "free" }), "decision");
  const open = within(await result(gateway, "system.run.prepare", { argv: ["ls"] }), "decision");
  const denied = within(await result(gateway, "system.run.prepare", { argv: ["ls"], security: "deny" }), "decision");
  for (const decision of [allowed, open, denied]) expect(Object.keys(decision)).toEqual(expect.arrayContaining(DECISION));
  expect(allowed).toMatchObject({ outcome: "allow", matchedBy: { kind: "full" }, allowedDecisions: [] });
  expect(open).toMatchObject({ outcome: "ask", matchedBy: null, allowedDecisions: ["allow-once", "allow-always", "deny"] });
  expect(denied).toMatchObject({ outcome: "deny", code: "policy.security-deny", matchedBy: null, allowedDecisions: [] });
});

test("the values of overrides are shown to the operator who prepares, and to no gateway", async () => {
  const params = { argv: ["ls"], env: { TERM: "dumb" } };
  expect(within(await result(operator, "system.run.prepare", params), "display")["env"]).toEqual({ TERM: "dumb" });
  expect(Object.keys(within(await result(gateway, "system.run.prepare", params), "display"))).toEqual(["command", "words", "warnings"]);
});

test("envHash is the hash of what the child was given, without the run's marker", async () => {
  const params = { argv: ["/usr/bin/env"], agentId: "free", env: { TERM: "dumb" } };
  const plan = within(await result(gateway, "system.run.prepare", params), "plan");
  const { stdout, runId } = await result(gateway, "system.run", params);
  const variables = text(stdout).trimEnd().split("\n").sort();
  expect(variables).toContain(`COUNTERSIGN_RUN=${text(runId)}`);
  const hash = createHash("sha256");
  for (const variable of variables.filter((line) => !line.startsWith("COUNTERSIGN_RUN="))) {
    const at = variable.indexOf("=");
    hash.update(netstring(variable.slice(0, at)) + netstring(variable.slice(at + 1)));
  }
  expect(plan["envHash"]).toBe(`sha256:${hash.digest("hex")}`);
});

test.each(["sleep 30", "sleep 30; echo x", "sleep 30 || echo x", "echo x && sleep 30", "sleep 30 | cat", "(sleep 30; echo x); echo y"])(
  "a run that took too long ended by the signal that ended it, whether or not a shell was there to get it: %s",
  async (command) => {
    expect(await result(gateway, "system.run", { command, agentId: "free", timeoutMs: 150 })).toMatchObject({
      exitCode: null,
      signal: "SIGTERM",
      timedOut: true,
      cancelled: false,
    });
  },
);

test("what the policy allows needs no approval, and the answer says that alone", async () => {
  expect(await result(gateway, "exec.approval.request", { argv: ["ls"], agentId: "free" })).toEqual({ decision: "not-needed" });
});

test("whoever waits on a cancelled approval is told so by its code", async () => {
  const id = await asked(["ls", "cancelled"]);
  await result(gateway, "exec.approval.cancel", { id });
  expect(await result(gateway, "exec.approval.waitDecision", { id })).toMatchObject({
    state: "cancelled",
    decision: null,
    reason: "approval.cancelled",
  });
});

test("a page begins behind the last one seen although that was decided in between", async () => {
  const ids = [await asked(["ls", "1"], "pages"), await asked(["ls", "2"], "pages"), await asked(["ls", "3"], "pages")];
  const seen: JsonValue[] = [];
  let cursor: JsonValue | undefined;
  do {
    const page = await result(gateway, "exec.approval.list", { state: "pending", limit: 1, ...(cursor === undefined ? {} : { cursor }) });
    const [first] = Array.isArray(page["approvals"]) ? page["approvals"] : [];
    const id = isJsonObject(first) ? text(first["id"]) : "";
    seen.push(id);
    await result(operator, "exec.approval.resolve", { id, decision: "deny" });
    cursor = page["next"];
  } while (cursor !== undefined && seen.length < 10);
  expect(seen).toEqual(ids);
});

test("a cursor that names nothing is refused, for approvals and for grants", async () => {
  for (const method of ["exec.approval.list", "exec.grants.list"]) {
    expect(await codeOf(operator, method, { cursor: "nothing" })).toBe("wire.invalid-params");
  }
});

test("an invalid document is the caller's fault, not the state's, and changes nothing", async () => {
  const { hash } = await result(operator, "exec.approvals.get");
  expect(await codeOf(operator, "exec.approvals.set", { document: { version: 2 }, baseHash: text(hash) })).toBe("wire.invalid-params");
  expect((await result(operator, "exec.approvals.get"))["hash"]).toBe(hash);
});

test("the binding is the hash of the page's byte string", async () => {
  writeFileSync(join(daemon.home, "deploy.sh"), "echo deployed\n");
  const prepared = await result(gateway, "system.run.prepare", { argv: ["sh", "deploy.sh"], sessionKey: "s1", stdin: "é" });
  const plan = within(prepared, "plan");
  const executable = within(plan, "executable");
  const script = createHash("sha256").update("echo deployed\n").digest("hex");
  const stdin = createHash("sha256").update("é").digest("hex");
  const words: (JsonValue | undefined)[] = [
    "countersign-binding-v1",
    "argv",
    "2",
    "sh",
    "deploy.sh",
    "cwd",
    plan["cwd"],
    "env",
    plan["envHash"],
    "agent",
    "main",
  ];
  words.push("session", "s1", "executable", executable["path"], executable["sha256"]);
  words.push("files", "1", "1", `${text(plan["cwd"])}/deploy.sh`, script, "nested", "0", "stdin", stdin);
  const bytes = words.map((word) => netstring(text(word))).join("");
  expect(prepared["binding"]).toBe(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
});

function netstring(text: string): string {
  return `${Buffer.byteLength(text)}:${text},`;
}
