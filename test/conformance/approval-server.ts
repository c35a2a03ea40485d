import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyLedger, fold } from "../../src/approvals/ledger.ts";
import { isAgentId } from "../../src/core/ids.ts";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { ok } from "../../src/core/result.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { type ApprovalDesk, createApprovalDesk } from "../../src/daemon/approval-desk.ts";
import { firstPhase } from "../../src/daemon/approval-methods.ts";
import { defaultDocument, parseDocument } from "../../src/policy/document.ts";
import { replaced, withEntries, withoutSecrets } from "../../src/policy/document-edit.ts";
import { renderDocument } from "../../src/policy/render-document.ts";
import { openDocumentFile } from "../../src/store/document-file.ts";
import { METHODS } from "../../src/wire/methods.ts";
import { path } from "../policy/table-machine.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { idFor } from "./ledger-clerk.ts";
import { MadeUpIds } from "./made-up-ids.ts";
import { oneOf, textOf, textsOf } from "./reading.ts";

/** One request to the service, answered by the daemon's own desk, wire and document functions. */
export async function answerServer(given: JsonObject): Promise<JsonObject> {
  switch (given["method"]) {
    case "exec.approval.request":
      return request(given);
    case "exec.approval.resolve":
      return resolve(given);
    case "exec.approvals.get":
      return get(given["file"]);
    case "exec.approvals.set":
      return set(given);
    case "add-entry":
      return add(textsOf(given["patterns"]));
    default:
      throw new Error(`no such method: ${JSON.stringify(given["method"])}`);
  }
}

async function request(given: JsonObject): Promise<JsonObject> {
  // A name for another host has no place in a request: a daemon runs commands on its own host alone.
  const elsewhere = "nodeId" in given ? { nodeId: given["nodeId"] } : {};
  const host = typeof given["host"] === "string" ? { host: given["host"] } : {};
  const parsed = METHODS["exec.approval.request"].parse({ argv: ["true"], twoPhase: given["twoPhase"] === true, ...host, ...elsewhere });
  if (!parsed.ok) return { ok: false, code: parsed.failure.code };
  const desk = deskOf([]);
  const hasRoute = given["uiClients"] !== 0 || given["forwarder"] === true;
  const asked = await ask(desk, "asked", hasRoute);
  const first = firstPhase(asked);
  desk.stop();
  const isExpired = asked.state === "expired";
  return {
    ok: true,
    first,
    expired: isExpired,
    queued: asked.state === "pending",
    resolvedBy: isExpired && asked.code === "approval.no-route" ? "no-approval-route" : null,
  };
}

async function resolve(given: JsonObject): Promise<JsonObject> {
  const names = textsOf(given["pending"]);
  const input = textOf(given["input"]);
  const ids = new MadeUpIds(names, [input]);
  const queue = names.map((name) => ids.of(name));
  const desk = deskOf(queue);
  for (const name of names) await ask(desk, name, true);
  const params = METHODS["exec.approval.resolve"].parse({ id: ids.lookup(input), decision: given["decision"] ?? null });
  const decision = oneOf(given["decision"], ["allow-once", "allow-always", "deny"]);
  const resolved = params.ok
    ? await desk.resolve(params.value.params.id, { decision, by: "operator", reason: null, before: () => Promise.resolve(ok(undefined)) })
    : params;
  desk.stop();
  return resolved.ok ? { ok: true, resolved: ids.nameOf(resolved.value.id) } : { ok: false, code: resolved.failure.code };
}

function get(file: JsonValue | undefined): JsonObject {
  const document = parseDocument(JSON.stringify(file ?? null));
  if (!document.ok) return { tokenVisible: false, pathVisible: false };
  const { path, token } = document.value.socket;
  const shown = JSON.stringify(withoutSecrets(document.value));
  return { tokenVisible: token !== null && shown.includes(token), pathVisible: path !== null && shown.includes(path) };
}

/** The wire asks for the hash of what was read, and the file itself compares it under its lock. */
async function set(given: JsonObject): Promise<JsonObject> {
  const scratch = scratchDirectory();
  try {
    const file = path(join(scratch.path, "exec-approvals.json"));
    const stored = defaultDocument("/run/countersign.sock", "secret");
    writeFileSync(file, renderDocument(stored), { mode: 0o600 });
    const opened = openDocumentFile(file, process.getuid?.() ?? 0);
    if (!opened.ok) throw new Error(opened.failure.message);
    const sent =
      given["baseHash"] === "current"
        ? opened.value.lastGood().hash
        : given["baseHash"] === "stale"
          ? sha256Of("an earlier version")
          : null;
    const parsed = METHODS["exec.approvals.set"].parse({ document: { ...stored.raw, agents: { main: { ask: "off" } } }, baseHash: sent });
    if (!parsed.ok) return { ok: false, code: parsed.failure.code };
    const { baseHash, document } = parsed.value.params;
    const changed = await opened.value.change(baseHash, (found) => replaced(found, document));
    return changed.ok ? { ok: true } : { ok: false, code: changed.failure.code };
  } finally {
    scratch.remove();
  }
}

function add(patterns: readonly string[]): JsonObject {
  let document = defaultDocument("/run/countersign.sock", "secret");
  for (const [index, pattern] of patterns.entries()) {
    const added = withEntries(document, "main", [{ id: `entry-${index}`, pattern }]);
    if (added.ok) document = added.value;
  }
  return { count: document.agents.get("main")?.allowlist.length ?? 0 };
}

function deskOf(ids: readonly ReturnType<typeof idFor>[]): ApprovalDesk {
  const queue = [...ids];
  const ledger = emptyLedger();
  return createApprovalDesk({
    ledger,
    clock: { nowMs: () => 0 },
    newId: () => queue.shift() ?? idFor("asked"),
    append: (event) => {
      fold(ledger, event, 0);
      return Promise.resolve(ok(undefined));
    },
    tell: () => undefined,
  });
}

async function ask(desk: ApprovalDesk, name: string, hasRoute: boolean) {
  const agentId = "main";
  if (!isAgentId(agentId)) throw new Error("main is an agent");
  const asked = await desk.request({
    credential: "gateway",
    agentId,
    requestKey: null,
    binding: name,
    sessionKey: "",
    command: name,
    timeoutMs: 60_000,
    hasRoute,
    keep: () => Promise.resolve(ok(sha256Of(name))),
  });
  if (!asked.ok) throw new Error(asked.failure.message);
  return asked.value.approval;
}
