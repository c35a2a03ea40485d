/** Every method of the protocol, spoken to a live daemon: what docs/protocol.md shows. */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { proofOf } from "../../src/client/proof.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { isMethodName, METHODS, type MethodName } from "../../src/wire/methods.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { exchange, execLine, requestLine } from "../support/openclaw-client.ts";
import { type Conversation, converse, type Said } from "./conversation.ts";
import { laidOut, steadyFor } from "./steady.ts";

export interface Transcript {
  readonly heading: string;
  readonly text: string;
  /** As they went over the wire, for whoever wants to hold them against a schema. */
  readonly frames: readonly Said[];
}

const NOTES: Readonly<Record<MethodName, string>> = {
  hello: "Begins the mutual form: neither side shows its token to the other.",
  authenticate: "Ends it with the client's own proof; or, as the first frame, with `token`. `agentId` then holds for the connection.",
  "system.run.prepare": "What would run, what would be said about it, and its binding. Starts nothing and asks nobody.",
  "system.run": "Runs it, or says why not. With `stream` the exact bytes come as notifications before the answer.",
  "system.run.cancel": "Ends a run and everything it started. Closing the connection does the same.",
  "system.which": "Where names lead on the child's PATH.",
  "exec.approval.request": "Asks a person. With `twoPhase` the id comes at once; otherwise the answer comes with the decision.",
  "exec.approval.waitDecision": "Waits for the decision; also after a reconnect or a restart of the daemon.",
  "exec.approval.resolve": "Decides. The id may be shortened to a prefix of 8 characters that is unique among the pending.",
  "exec.approval.list": "Newest last, page by page. A gateway sees its own.",
  "exec.approval.get": "One of them, whole.",
  "exec.approval.cancel": "Takes a question back.",
  "exec.approvals.get": "The policy document without the socket's token, and the hash to edit it by.",
  "exec.approvals.set": "Replaces it, if it is still the one with this hash.",
  "exec.approvals.patch": "Adds and removes entries of one agent's allowlist.",
  "exec.approvals.node.get": "The document of another host. This daemon is part of no fleet.",
  "exec.approvals.node.set": "Replaces the document of another host.",
  "exec.grants.list": "What is allowed without asking, with how often it was used.",
  "exec.grants.revoke": "Takes one back.",
  "tools.evaluate": "Whether an agent may call a tool, and which layer of the tool policy said so.",
  "tools.list": "The tools an agent may call.",
  "elevated.evaluate": "Whether a sender may have a command run outside of its sandbox.",
  "events.subscribe":
    "From now on notifications of these topics come in between. An operator who listens for `exec.approval.requested` is somebody who can answer.",
  "events.unsubscribe": "No more of these; of all, without `topics`.",
  status: "How the daemon is, and what its promises rest on.",
  "audit.tail": "The last records of the log, the newest last; `next` leads to older ones.",
  "audit.verify": "Reads the whole chain.",
  "token.rotate": "A new token. Connections that used the old one are closed; with `drain`, when their calls are done.",
  "trust.add": "Enrols a gateway that decides elsewhere, by its Ed25519 key.",
  "trust.list": "Those that are enrolled.",
  "trust.remove": "Its tokens are worth nothing any more.",
};

export async function transcripts(): Promise<readonly Transcript[]> {
  const daemon = await startTestDaemon({
    document: {
      version: 1,
      defaults: { security: "allowlist", ask: "on-miss" },
      agents: { "*": { allowlist: [{ id: "listed", pattern: "**/status.sh" }, "**/wait.sh"] } },
    },
  });
  try {
    return await speak(daemon);
  } finally {
    await daemon.stop();
  }
}

async function speak(daemon: TestDaemon): Promise<readonly Transcript[]> {
  const project = join(realpathSync(daemon.home), "project");
  mkdirSync(project);
  writeFileSync(join(project, "status.sh"), "#!/bin/sh\necho all is well\n", { mode: 0o755 });
  writeFileSync(join(project, "wait.sh"), "#!/bin/sh\nsleep 60\n", { mode: 0o755 });
  writeFileSync(join(project, "deploy.sh"), "#!/bin/sh\necho deployed to $1\n", { mode: 0o755 });
  const steady = steadyFor({
    [realpathSync(daemon.home)]: "/home/u",
    [realpathSync(daemon.stateDir)]: "/home/u/.local/state/countersign",
    [daemon.home]: "/home/u",
    [daemon.stateDir]: "/home/u/.local/state/countersign",
  });
  const told: Transcript[] = [];
  const keep = (heading: string, frames: readonly Said[]): void => {
    const note = isMethodName(heading) ? `${NOTES[heading]}${whoMay(heading)}\n\n` : "";
    const text = frames.map(({ who, frame }) => `${who} ${laidOut(steady(frame))}`).join("\n");
    told.push({ heading, text: `${note}\`\`\`\n${text}\n\`\`\``, frames });
  };

  const gateway = await converse(daemon.socketPath);
  const operator = await converse(daemon.socketPath);
  await greet(gateway, daemon.gatewayToken, keep);
  await operator.call("authenticate", { token: daemon.operatorToken });
  operator.taken();

  const ask = async (who: Conversation, method: MethodName, params: JsonObject): Promise<JsonObject> => {
    const result = await who.call(method, params);
    keep(method, who.taken());
    return result;
  };
  const status = { argv: ["./status.sh"], cwd: project };
  const deploy = { argv: ["./deploy.sh", "staging"], cwd: project, sessionKey: "s1" };

  await ask(gateway, "system.run.prepare", { ...deploy, env: { LANG: "C" } });
  await ask(gateway, "system.run", { ...status, stream: true });
  await gateway.call("system.run", deploy);
  keep("A refusal", gateway.taken());
  await cancelOne(gateway, project);
  keep("system.run.cancel", gateway.taken());
  await ask(gateway, "system.which", { names: ["sh", "no-such-program"] });

  await operator.call("events.subscribe", { topics: ["exec.approval.requested", "exec.approval.resolved"] });
  const asked = await gateway.call("exec.approval.request", { ...deploy, twoPhase: true });
  keep("exec.approval.request", gateway.taken());
  await operator.heard();
  keep("events.subscribe", operator.taken());
  const id = text(asked["id"]);
  await ask(operator, "exec.approval.get", { id });
  await ask(operator, "exec.approval.list", { state: "pending", limit: 1 });
  await ask(operator, "exec.approval.resolve", { id: id.slice(0, 8), decision: "allow-once", reason: "the release of today" });
  await ask(operator, "audit.tail", { limit: 1 });
  await ask(gateway, "exec.approval.waitDecision", { id });
  await gateway.call("system.run", { ...deploy, approvalId: id });
  await gateway.call("system.run", { ...deploy, approvalId: id });
  keep("With the approval, and once more", gateway.taken());
  const other = await gateway.call("exec.approval.request", { argv: ["./deploy.sh", "production"], cwd: project, twoPhase: true });
  gateway.taken();
  await ask(gateway, "exec.approval.cancel", { id: text(other["id"]) });
  await ask(operator, "events.unsubscribe", {});

  operator.taken();
  keep("Notifications", await notifications(operator, gateway, status, deploy));

  const { hash = null, document = null } = await operator.call("exec.approvals.get", {});
  keep("exec.approvals.get", operator.taken().slice(-2));
  const written = await ask(operator, "exec.approvals.set", { document, baseHash: hash });
  await ask(operator, "exec.approvals.patch", {
    baseHash: written["hash"] ?? null,
    agentId: "main",
    add: [{ pattern: "/usr/bin/git", usesLeft: 3 }],
  });
  await ask(operator, "exec.grants.list", { limit: 1 });
  await ask(operator, "exec.grants.revoke", { id: "listed" });
  await ask(gateway, "tools.evaluate", { tool: "read", args: { path: join(daemon.stateDir, "operator.token") } });
  await ask(gateway, "tools.list", {});
  await ask(gateway, "elevated.evaluate", { sender: "id:1", channel: "discord", mode: "full", sandboxed: true });
  await ask(gateway, "exec.approvals.node.get", { nodeId: "build-7" });
  await ask(operator, "exec.approvals.node.set", { nodeId: "build-7", document: { version: 1 }, baseHash: "0".repeat(64) });
  await ask(operator, "status", {});
  await ask(operator, "audit.verify", {});
  const { publicKey } = generateKeyPairSync("ed25519");
  await ask(operator, "trust.add", {
    iss: "ci",
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    agents: ["ops-*"],
  });
  await ask(operator, "trust.list", {});
  await ask(operator, "trust.remove", { iss: "ci" });
  keep(
    "OpenClaw's dialect: `request`, shown and answered",
    await dialect(daemon, operator, requestLine(daemon.gatewayToken, { command: "make all", cwd: "/srv/x", host: "node" })),
  );
  keep(
    "OpenClaw's dialect: `exec`",
    await dialect(daemon, operator, execLine(daemon.gatewayToken, { command: ["./deploy.sh", "staging"], cwd: project })),
  );
  await ask(operator, "token.rotate", { role: "gateway" });
  gateway.close();
  operator.close();
  return told;
}

/** Those of approvals are shown above; these are the others. */
async function notifications(
  operator: Conversation,
  gateway: Conversation,
  allowed: JsonObject,
  refused: JsonObject,
): Promise<readonly Said[]> {
  const topics = ["exec.started", "exec.output", "exec.finished", "exec.denied", "policy.changed"];
  await operator.call("events.subscribe", { topics });
  operator.taken();
  await gateway.call("system.run", allowed);
  await gateway.call("system.run", refused);
  gateway.taken();
  for (const _ of topics.slice(1)) await operator.heard();
  const { hash = null } = await gateway.call("exec.approvals.get", {});
  gateway.taken();
  await operator.call("exec.approvals.patch", { baseHash: hash, agentId: "main", add: ["/usr/bin/rg"] });
  const said = operator.taken().filter(({ frame }) => frame["method"] !== undefined && frame["id"] === undefined);
  await operator.call("events.unsubscribe", {});
  operator.taken();
  return said;
}

/** The answer to the run comes when everything it started is gone. */
async function cancelOne(gateway: Conversation, project: string): Promise<void> {
  const run = gateway.send("system.run", { argv: ["./wait.sh"], cwd: project, stream: true });
  const { params } = await gateway.heard();
  await gateway.call("system.run.cancel", { runId: isJsonObject(params) ? (params["runId"] ?? null) : null });
  while ((await gateway.heard())["id"] !== run);
}

async function greet(gateway: Conversation, token: string, keep: (heading: string, frames: readonly Said[]) => void): Promise<void> {
  const nonce = "bm9uY2Ugb2YgdGhlIGNsaWVudA";
  const greeting = await gateway.call("hello", { role: "gateway", nonce });
  keep("hello", gateway.taken());
  await gateway.call("authenticate", { proof: proofOf(token, "client", "gateway", nonce, text(greeting["nonce"])) });
  keep("authenticate", gateway.taken());
}

async function dialect(daemon: TestDaemon, operator: Conversation, line: string): Promise<readonly Said[]> {
  const sent: JsonObject = JSON.parse(line);
  await operator.call("events.subscribe", { topics: ["exec.approval.requested"] });
  const exchanged = exchange(daemon.socketPath, line);
  if (sent["type"] === "request") {
    const requested = await operator.heard();
    const { params } = requested;
    await operator.call("exec.approval.resolve", { id: isJsonObject(params) ? (params["id"] ?? null) : null, decision: "allow-once" });
  }
  const answer = await exchanged.answer;
  await operator.call("events.unsubscribe", {});
  operator.taken();
  return [{ who: "→", frame: sent }, ...(answer === null ? [] : [{ who: "←" as const, frame: answer }])];
}

function whoMay(method: MethodName): string {
  const { roles, needsAuth } = METHODS[method];
  if (!needsAuth) return " Before anything else.";
  return roles.includes("gateway") ? "" : " For operators.";
}

function text(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new Error("a text was expected");
  return value;
}

/** The section of docs/protocol.md that is made of them. */
export function section(all: readonly Transcript[]): string {
  return all.map(({ heading, text }) => `### ${isMethodName(heading) ? `\`${heading}\`` : heading}\n\n${text}`).join("\n\n");
}
