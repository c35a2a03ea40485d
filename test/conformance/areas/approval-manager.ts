import type { Approval } from "../../../src/approvals/approval.ts";
import { findApproval } from "../../../src/approvals/find.ts";
import { isApprovalId } from "../../../src/core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { APPROVAL_GRACE_MS } from "../../../src/core/limits.ts";
import { answerServer } from "../approval-server.ts";
import type { Area } from "../area.ts";
import { Clerk, idFor } from "../ledger-clerk.ts";
import { MadeUpIds } from "../made-up-ids.ts";
import { numberOf, oneOf, same, textOf } from "../reading.ts";

/** `approval-manager.json`: the life of an approval, step by step on a clock of its own, and single requests to the service. */
export const area: Area = {
  name: "approval-manager",
  async check({ given, expect }) {
    if (given["op"] === "server") return agrees(expect, await answerServer(given));
    const ops = listOf(given["ops"]).filter(isJsonObject);
    const results = new Manager(ops).play();
    if (expect["results"] === undefined) return checkIds(results, expect);
    const wanted = listOf(expect["results"]);
    const wrong = wanted.findIndex((want, index) => agrees(want, results[index] ?? null) !== null);
    return wrong < 0 && wanted.length === results.length ? null : `gave ${JSON.stringify(results)}`;
  },
};

/** An object lists only the fields to compare. */
function agrees(want: JsonValue, found: JsonValue): string | null {
  const said = `gave ${JSON.stringify(found)}`;
  if (!isJsonObject(want)) return same(want, found) ? null : said;
  if (!isJsonObject(found)) return said;
  return Object.keys(want).every((key) => agrees(want[key] ?? null, found[key] ?? null) === null) ? null : said;
}

function checkIds(results: readonly JsonValue[], expect: JsonObject): string | null {
  const ids = results.flatMap((result) => (isJsonObject(result) && typeof result["id"] === "string" ? [result["id"]] : []));
  if (expect["distinctIds"] !== undefined && new Set(ids).size !== expect["distinctIds"]) return `gave the ids ${ids.join(" ")}`;
  return expect["idFormat"] === undefined || ids.every(isApprovalId) ? null : `gave the ids ${ids.join(" ")}`;
}

const DECISIONS = ["allow-once", "allow-always", "deny"] as const;

class Manager {
  readonly #clerk = new Clerk();
  readonly #ids: MadeUpIds;
  readonly #ops: readonly JsonObject[];
  /** Handles, by the name they were given, and what settled each approval. */
  readonly #handles = new Map<string, string>();
  readonly #settled = new Map<string, { readonly value: string | null; readonly atMs: number; readonly by: string | null }>();
  #nowMs = 0;

  constructor(ops: readonly JsonObject[]) {
    const texts = (key: string) => ops.flatMap((op) => (typeof op[key] === "string" ? [op[key]] : []));
    this.#ops = ops;
    this.#ids = new MadeUpIds(texts("id"), texts("input"));
  }

  play(): readonly JsonValue[] {
    return this.#ops.map((op, index) => {
      this.#nowMs = numberOf(op["at"]);
      this.#clerk.tick(this.#nowMs);
      this.#noteSettled(null);
      this.#forget();
      const result = this.#step(op, index);
      this.#noteSettled(typeof op["by"] === "string" ? op["by"] : null);
      return result;
    });
  }

  #step(op: JsonObject, index: number): JsonValue {
    const name = typeof op["id"] === "string" ? op["id"] : "";
    switch (op["op"]) {
      case "create": {
        // A name of the caller's is a request key; the id is made here, and a blank name is none.
        const id = name.trim() === "" ? idFor(`made ${index}`) : name;
        return { id, createdAt: this.#nowMs, expiresAt: this.#nowMs + numberOf(op["timeoutMs"]) };
      }
      case "register":
        return this.#register(name, op);
      case "resolve": {
        const resolved = this.#clerk.resolve(this.#ids.of(name), oneOf(op["decision"], DECISIONS), textOf(op["by"] ?? "operator"));
        return resolved.ok && resolved.value.was === "decide";
      }
      case "expire":
        return this.#clerk.expire(this.#ids.of(name), op["by"] === "no-approval-route" ? "approval.no-route" : "approval.expired");
      case "consume":
        return this.#clerk.spend(this.#ids.of(name)).ok;
      case "lookup":
        return this.#lookup(textOf(op["input"]));
      case "await":
        if (!this.#clerk.ledger.approvals.has(this.#ids.of(name))) return null;
        this.#handles.set(textOf(op["as"]), name);
        return "pending";
      case "outcome":
        return this.#outcome(this.#handles.get(textOf(op["as"])) ?? "");
      case "snapshot":
        return this.#snapshot(name);
      default:
        throw new Error(`no such step: ${JSON.stringify(op["op"])}`);
    }
  }

  #register(name: string, op: JsonObject): JsonValue {
    const asked = this.#clerk.ask(this.#ids.of(name), name, numberOf(op["timeoutMs"]));
    if (!asked.ok) return { error: asked.failure.code };
    if (asked.value.state !== "pending") return { error: "already-resolved" };
    if (typeof op["as"] === "string") this.#handles.set(op["as"], name);
    return "pending";
  }

  #lookup(input: string): JsonValue {
    const text = this.#ids.lookup(input);
    const found = findApproval(this.#clerk.ledger, text);
    if (found.ok) {
      const kind = text === found.value.id ? "exact" : "prefix";
      return found.value.state === "pending" ? { kind, id: this.#ids.nameOf(found.value.id) } : { kind: "none" };
    }
    const ids = found.failure.details["ids"];
    if (found.failure.code !== "approval.ambiguous" || !Array.isArray(ids)) return { kind: "none" };
    return { kind: "ambiguous", ids: ids.map((id) => this.#ids.nameOf(String(id))) };
  }

  #outcome(name: string): JsonValue {
    const settled = this.#settled.get(name);
    return settled === undefined ? "unsettled" : settled.value;
  }

  #snapshot(name: string): JsonValue {
    const approval = this.#clerk.ledger.approvals.get(this.#ids.of(name));
    if (approval === undefined) return null;
    const settled = this.#settled.get(name);
    return {
      id: name,
      createdAt: approval.createdAtMs,
      expiresAt: approval.expiresAtMs,
      decision: "decision" in approval ? approval.decision : null,
      resolvedAt: settled?.atMs ?? null,
      resolvedBy: "by" in approval ? approval.by : (settled?.by ?? null),
    };
  }

  /** Whoever waits hears the first thing that happens to an approval, and that does not change any more. */
  #noteSettled(by: string | null): void {
    for (const approval of this.#clerk.ledger.approvals.values()) {
      const name = this.#ids.nameOf(approval.id);
      if (approval.state === "pending" || this.#settled.has(name)) continue;
      this.#settled.set(name, { value: "decision" in approval ? approval.decision : null, atMs: settledAt(approval, this.#nowMs), by });
    }
  }

  /** The vectors' manager forgets 15 s after it is settled, or could not be used any more; ours keeps longer, for the journal's sake. */
  #forget(): void {
    for (const approval of this.#clerk.ledger.approvals.values()) {
      const settled = this.#settled.get(this.#ids.nameOf(approval.id));
      if (approval.state === "pending" || approval.state === "allowed" || settled === undefined) continue;
      if (settled.atMs + APPROVAL_GRACE_MS > this.#nowMs) continue;
      this.#clerk.ledger.approvals.delete(approval.id);
      this.#settled.delete(this.#ids.nameOf(approval.id));
    }
  }
}

function settledAt(approval: Approval, nowMs: number): number {
  if ("decidedAtMs" in approval) return approval.decidedAtMs;
  return approval.state === "expired" ? approval.expiredAtMs : nowMs;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
