/** Policy and the life of an approval. */
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "../../src/audit/journal.ts";
import { isAgentId, isApprovalId } from "../../src/core/ids.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { text } from "../attacks/attack.ts";
import { until } from "../support/processes.ts";
import { type Bench, codeOf } from "./bench.ts";
import type { Provocations } from "./provocations.ts";

const TRUE = { argv: ["/usr/bin/true"], cwd: "/" };

async function ask({ gateway, agent }: Bench, more: JsonObject = {}): Promise<{ readonly id: string; readonly run: JsonObject }> {
  const run = { ...TRUE, agentId: agent() };
  const { id } = await gateway.must("exec.approval.request", { ...run, twoPhase: true, ...more });
  return { id: text(id), run: { ...run, approvalId: text(id) } };
}

export const ASKING: Provocations<"policy." | "approval."> = {
  "policy.tool-denied": async ({ gateway }) => codeOf(await gateway.call("system.run", { ...TRUE, agentId: "toolless" })),
  "policy.security-deny": async ({ gateway }) => codeOf(await gateway.call("system.run", { ...TRUE, agentId: "denied" })),
  "policy.allowlist-miss": async ({ gateway }) => codeOf(await gateway.call("system.run", { ...TRUE, agentId: "off" })),
  "policy.analysis-failed": async ({ gateway }) =>
    codeOf(await gateway.call("system.run", { command: "echo $(id)", cwd: "/", agentId: "off" })),
  "policy.elevated-refused": async ({ gateway, agent }) =>
    codeOf(
      await gateway.call("system.run", {
        ...TRUE,
        agentId: agent(),
        context: { elevated: "full", sender: "eve", channel: "chat", sandboxed: true },
      }),
    ),

  "approval.required": async ({ gateway, agent }) => codeOf(await gateway.call("system.run", { ...TRUE, agentId: agent() })),
  "approval.denied": async (bench) => {
    const { id, run } = await ask(bench);
    await bench.operator.must("exec.approval.resolve", { id, decision: "deny" });
    return codeOf(await bench.gateway.call("system.run", run));
  },
  "approval.expired": async (bench) => {
    const { id, run } = await ask(bench, { approvalTimeoutMs: 1000 });
    await until(async () => (await bench.operator.must("exec.approval.get", { id }))["state"] === "expired", 5000);
    return codeOf(await bench.gateway.call("system.run", run));
  },
  "approval.no-route": async ({ other }) => {
    const { operator, gateway } = await other({});
    operator.close();
    await until(async () => (await gateway.must("status"))["operatorAttached"] === false, 2000);
    const asked = await gateway.must("exec.approval.request", { ...TRUE, twoPhase: true });
    return codeOf(await gateway.call("system.run", { ...TRUE, approvalId: text(asked["id"]) }));
  },
  "approval.unknown": async ({ gateway }) =>
    codeOf(await gateway.call("exec.approval.get", { id: "00000000-0000-4000-8000-000000000000" })),
  "approval.ambiguous": async ({ other, directory }) => {
    // Ids are random, so two that begin alike have to be written by hand, with the journal's own pen.
    const stateDir = join(directory(), "state");
    await writeQuestions(stateDir, ["8332daed-0000-4000-8000-000000000001", "8332daed-0000-4000-8000-000000000002"]);
    const { operator } = await other({ stateDir });
    return codeOf(await operator.call("exec.approval.resolve", { id: "8332daed", decision: "allow-once" }));
  },
  "approval.already-resolved": async (bench) => {
    const { id } = await ask(bench);
    await bench.operator.must("exec.approval.resolve", { id, decision: "deny" });
    return codeOf(await bench.operator.call("exec.approval.resolve", { id, decision: "allow-once" }));
  },
  "approval.consumed": async (bench) => {
    const { id, run } = await ask(bench);
    await bench.operator.must("exec.approval.resolve", { id, decision: "allow-once" });
    await bench.gateway.must("system.run", run);
    return codeOf(await bench.gateway.call("system.run", run));
  },
  "approval.cancelled": async (bench) => {
    const { id, run } = await ask(bench);
    await bench.gateway.must("exec.approval.cancel", { id });
    return codeOf(await bench.gateway.call("system.run", run));
  },
  "approval.id-conflict": async ({ gateway, agent }) => {
    const asking = { ...TRUE, agentId: agent(), requestKey: "one", twoPhase: true };
    await gateway.must("exec.approval.request", asking);
    return codeOf(await gateway.call("exec.approval.request", { ...asking, argv: ["/usr/bin/false"] }));
  },
  "approval.token-invalid": async ({ gateway, agent }) =>
    codeOf(await gateway.call("system.run", { ...TRUE, agentId: agent(), approvalToken: "a.b.c" })),
};

async function writeQuestions(stateDir: string, ids: readonly string[]): Promise<void> {
  mkdirSync(join(stateDir, "audit"), { recursive: true, mode: 0o700 });
  const journal = await openJournal({ directory: join(stateDir, "audit"), now: Date.now, onRecord: () => {}, snapshot: () => ({}) });
  if (!journal.ok) throw new Error(journal.failure.message);
  const agentId = "main";
  for (const id of ids) {
    if (!isApprovalId(id) || !isAgentId(agentId)) throw new Error("not an id");
    const about = {
      credential: "gateway",
      agentId,
      sessionKey: "",
      requestKey: null,
      binding: `sha256:${"0".repeat(64)}`,
      command: "true",
    };
    const expiresAtMs = Date.now() + 600_000;
    await journal.value.append({ type: "approval.requested", id, ...about, expiresAtMs, recordSha256: sha256Of(Buffer.from("")) });
  }
  await journal.value.close();
}

/** A token as a gateway of its own would mint it, for this daemon and a binding that is not the command's. */
export async function mintedFor(bench: Bench, binding: string): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const iss = `gateway-${bench.agent()}`;
  await bench.operator.must("trust.add", { iss, publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() });
  const { hostId } = bench.gateway.client.welcome;
  const now = Math.floor(Date.now() / 1000);
  const part = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "EdDSA" })}.${part({ iss, jti: "t1", bnd: binding, aud: hostId, iat: now, exp: now + 60, dec: "allow-once" })}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
}
