/** Calls for tests of everything that is said about methods. */
import type { JsonObject } from "../../src/core/json.ts";
import type { MethodName } from "../../src/wire/methods.ts";

export const HASH = "a".repeat(64);
const argv = ["git", "status"];
export const APPROVAL = "7f3c2b1a-0000-4000-8000-000000000000";

/** One call per method that is as small as it may be, and one that uses every member. */
export const CALLS: Readonly<Record<MethodName, readonly [JsonObject, JsonObject]>> = {
  hello: [
    { role: "gateway", nonce: "A".repeat(22) },
    { role: "operator", nonce: "A-_".repeat(10), agentId: "main" },
  ],
  authenticate: [{ token: "" }, { proof: "x", agentId: "ops-1", halfClose: true }],
  "system.run.prepare": [{ argv }, everyCommandMember()],
  "system.run": [
    { command: "ls | wc -l" },
    { ...everyCommandMember(), approvalId: APPROVAL, stream: true, wait: true, approvalTimeoutMs: 1000 },
  ],
  "system.run.cancel": [{ runId: "r" }, { runId: APPROVAL }],
  "system.which": [{ names: ["git"] }, { names: ["git", "./x"], agentId: "main" }],
  "exec.approval.request": [
    { argv },
    {
      ...everyCommandMember(),
      requestKey: "k 1",
      approvalTimeoutMs: 3_600_000,
      twoPhase: true,
      host: "node",
      turnSourceChannel: "discord",
    },
  ],
  "exec.approval.waitDecision": [{ id: "x" }, { id: APPROVAL }],
  "exec.approval.resolve": [
    { id: "7f3c2b1a", decision: "deny" },
    { id: APPROVAL, decision: "allow-always", reason: "", scope: "command", expiresInMs: 1, uses: 1 },
  ],
  "exec.approval.list": [{}, { state: "pending", limit: 1, cursor: "c" }],
  "exec.approval.get": [{ id: "x" }, { id: APPROVAL }],
  "exec.approval.cancel": [{ id: "x" }, { id: APPROVAL }],
  "exec.approvals.get": [{}, {}],
  "exec.approvals.set": [
    { document: {}, baseHash: HASH },
    { document: { any: [1] }, baseHash: HASH },
  ],
  "exec.approvals.patch": [
    { baseHash: HASH, agentId: "*" },
    {
      baseHash: HASH,
      agentId: "main",
      add: ["/usr/bin/rg", { pattern: "/x", argPattern: "^a$", sha256: HASH, expiresAt: 1, usesLeft: 1 }],
      remove: ["/usr/bin/rg"],
    },
  ],
  "exec.approvals.node.get": [{ nodeId: "n" }, { nodeId: "n" }],
  "exec.approvals.node.set": [
    { nodeId: "n", document: {}, baseHash: HASH },
    { nodeId: "n", document: {}, baseHash: HASH },
  ],
  "exec.grants.list": [{}, { agentId: "main", limit: 500, cursor: "c" }],
  "exec.grants.revoke": [{ id: "x" }, { id: "x" }],
  "tools.evaluate": [
    { tool: "read" },
    { tool: "read", agentId: "main", sessionKey: "", context: { sandboxed: true }, args: { path: "/x", other: [1] } },
  ],
  "tools.list": [{}, { agentId: "main", sessionKey: "s", context: {} }],
  "elevated.evaluate": [
    { sender: "id:1", channel: "discord", mode: "on", sandboxed: true },
    {
      sender: { id: "1", from: "a", name: "b", username: "c", tag: "d", e164: "+1" },
      channel: "c",
      agentId: "main",
      mode: "full",
      sandboxed: false,
    },
  ],
  "events.subscribe": [{ topics: ["exec.denied"] }, { topics: ["exec.approval.requested", "exec.output", "policy.changed"] }],
  "events.unsubscribe": [{}, { topics: ["exec.denied"] }],
  status: [{}, {}],
  "audit.tail": [{}, { limit: 1, cursor: "c" }],
  "audit.verify": [{}, {}],
  "token.rotate": [{ role: "gateway" }, { role: "gateway", gateway: "ci", drain: true }],
  "trust.add": [
    { iss: "gw", publicKey: "k" },
    { iss: "gw", publicKey: "k", agents: ["ops-*"] },
  ],
  "trust.list": [{}, {}],
  "trust.remove": [{ iss: "gw" }, { iss: "gw" }],
};

function everyCommandMember(): JsonObject {
  return {
    argv,
    cwd: "/tmp",
    env: { LANG: "C" },
    agentId: "main",
    sessionKey: "s1",
    timeoutMs: 1,
    stdin: "in",
    security: "deny",
    ask: "always",
    context: {
      provider: "p",
      model: "m",
      senderIsOwner: true,
      sandboxed: false,
      subagentDepth: 0,
      sender: "id:1",
      channel: "c",
      elevated: "off",
    },
  };
}

/** Members that carry somebody else's JSON object. */
export function isFree(method: MethodName, key: string): boolean {
  return key === "document" || (method === "tools.evaluate" && key === "args");
}
