/** What is allowed for good or for a while, entry by entry, with what the journal knows of their use. */
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { AllowEntry } from "../policy/allow-entry.ts";
import type { ExecDocument } from "../policy/document.ts";
import { withoutKeys } from "../policy/document-edit.ts";
import type { ParamsOf } from "../wire/methods.ts";
import { type Asker, signatureOf } from "./asker.ts";
import { behindCursor } from "./page.ts";
import type { Uses } from "./uses.ts";
import type { World } from "./world.ts";

export function listGrants(params: ParamsOf<"exec.grants.list">, world: World, uses: Uses): Result<JsonObject, Denial> {
  const stored = world.document();
  if (!stored.ok) return stored;
  const all = entriesOf(stored.value.document).filter(
    ({ agent }) => params.agentId === undefined || agent === params.agentId || agent === "*",
  );
  const rest = behindCursor(all, params.cursor, ({ entry }) => entry.key);
  if (!rest.ok) return rest;
  const page = rest.value.slice(0, Math.min(params.limit ?? PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX));
  const last = page.at(-1);
  const next = last !== undefined && page.length < rest.value.length ? { next: last.entry.key } : {};
  return ok({ grants: page.map(({ agent, entry }) => grantJson(agent, entry, world, uses)), ...next });
}

export async function revokeGrant(id: string, asker: Asker, world: World): Promise<Result<JsonObject, Denial>> {
  let revoked: readonly string[] = [];
  const changed = await world.changeDocument(null, (document) => {
    const found = entriesOf(document).filter(({ entry }) => entry.key === id);
    if (found.length === 0)
      return fail(denial("wire.invalid-params", `there is no grant \`${id}\`; see \`countersign grants list\``, { field: "id" }));
    revoked = found.map(({ entry }) => entry.pattern);
    return ok(withoutKeys(document, new Set([id])));
  });
  if (!changed.ok) return changed;
  world.note({ type: "grant.revoked", details: { id, patterns: revoked, by: signatureOf(asker) } });
  return ok({ id, revoked });
}

function entriesOf(document: ExecDocument): readonly { readonly agent: string; readonly entry: AllowEntry }[] {
  return [...document.agents].flatMap(([agent, section]) => section.allowlist.map((entry) => ({ agent, entry })));
}

function grantJson(agent: string, entry: AllowEntry, world: World, uses: Uses): JsonObject {
  const { key, pattern, argPattern, sha256, source, expiresAt, usesLeft } = entry;
  const spent = world.desk.ledger.usesSpent.get(key) ?? 0;
  const waiting = uses.waiting(key);
  return {
    id: key,
    agentId: agent,
    pattern,
    argPattern,
    sha256,
    source,
    expiresAt,
    usesGranted: usesLeft,
    usesLeft: usesLeft === null ? null : Math.max(0, usesLeft - spent),
    lastUsedAt: waiting?.at ?? entry.lastUsedAt,
  };
}
