import type { Journal } from "../audit/journal.ts";
import type { JsonObject } from "../core/json.ts";
import { ok } from "../core/result.ts";
import { type Administration } from "./administration.ts";
import { type Asker, signatureOf } from "./asker.ts";
import type { CredentialStore } from "./credentials.ts";
import { listGrants, revokeGrant } from "./grants.ts";
import type { Policies } from "./policies.ts";
import { type StatusParts, statusOf } from "./status.ts";
import type { Trust } from "./trust.ts";
import type { Uses } from "./uses.ts";

export interface AdministrationParts extends StatusParts {
  readonly journal: Journal;
  readonly credentials: CredentialStore;
  readonly trust: Trust;
  readonly uses: Uses;
  policies(): Policies;
}

export function createAdministration(parts: AdministrationParts): Administration {
  const { world, journal, credentials, trust, uses } = parts;
  const noteTrust = (what: string, iss: string, asker: Asker): void =>
    world.note({ type: "trust.changed", details: { what, iss, by: signatureOf(asker) } });

  return {
    listGrants: (params) => listGrants(params, world, uses),
    revokeGrant: ({ id }, asker) => revokeGrant(id, asker, world),
    evaluateTool: (params, asker) => {
      const agent = asker.agentFor(params.agentId ?? null);
      return agent.ok ? parts.policies().evaluateTool(params, agent.value) : agent;
    },
    listTools: (params, asker) => {
      const agent = asker.agentFor(params.agentId ?? null);
      return agent.ok ? parts.policies().listTools(params, agent.value) : agent;
    },
    evaluateElevated: (params, asker) => {
      const agent = asker.agentFor(params.agentId ?? null);
      if (!agent.ok) return agent;
      const place = parts.policies().evaluateElevated(params, agent.value);
      if (!place.ok) world.note({ type: "security.event", details: { kind: place.failure.code, ...place.failure.details } });
      return place;
    },
    status: (asker) => ok(statusOf(asker, parts)),
    async tailAudit(params) {
      const page = await journal.tail(params);
      if (!page.ok) return page;
      const { records, next } = page.value;
      return ok({ records: records.map((record): JsonObject => ({ ...record })), ...(next === null ? {} : { next }) });
    },
    async verifyAudit() {
      const { verdict, segments, records, head, torn, problems } = await journal.verify();
      return ok({
        verdict,
        segments,
        records,
        head: { ...head },
        torn: torn === null ? null : { ...torn },
        problems: problems.map((each) => ({ ...each })),
      });
    },
    async rotateToken(params, asker) {
      const rotated = await credentials.rotate(params);
      if (!rotated.ok) return rotated;
      const { role, gateway = null } = params;
      world.note({ type: "token.rotated", details: { role, gateway, by: signatureOf(asker) } });
      // After this answer has gone out: the caller's own connection may be one of those that end.
      setImmediate(() => parts.connections().closeStale(params.drain === true ? "drained" : "now"));
      return ok({ role, gateway, token: rotated.value });
    },
    async addTrust({ iss, publicKey, agents }, asker) {
      const added = await trust.add(iss, publicKey, agents ?? null, world.clock.nowMs());
      if (!added.ok) return added;
      noteTrust("added", iss, asker);
      return ok({ iss, agents: agents ?? null });
    },
    listTrust: () => ok({ issuers: trust.list() }),
    async removeTrust({ iss }, asker) {
      const removed = await trust.remove(iss);
      if (!removed.ok) return removed;
      noteTrust("removed", iss, asker);
      return ok({ iss });
    },
  };
}
