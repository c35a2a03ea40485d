import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { replaced, withEntries, withoutEntries, withoutSecrets } from "../policy/document-edit.ts";
import type { ParamsOf } from "../wire/methods.ts";
import type { Asker } from "./asker.ts";
import type { World } from "./world.ts";

type Answer = Promise<Result<JsonObject, Denial>>;

export async function getDocument(world: World): Answer {
  const stored = world.document();
  if (!stored.ok) return stored;
  const { path, hash, document } = stored.value;
  return ok({ path, hash, document: withoutSecrets(document) });
}

export async function setDocument(params: ParamsOf<"exec.approvals.set">, asker: Asker, world: World): Answer {
  const changed = await world.changeDocument(params.baseHash, (stored) => {
    const next = replaced(stored, params.document);
    // What is stored is sound; it is the caller's document that is not.
    return next.ok ? next : fail({ ...next.failure, code: "wire.invalid-params" });
  });
  return told(changed, "replaced", asker, world);
}

export async function patchDocument(params: ParamsOf<"exec.approvals.patch">, asker: Asker, world: World): Answer {
  const { agentId, add = [], remove = [] } = params;
  const changed = await world.changeDocument(params.baseHash, (stored) => {
    const without = remove.length === 0 ? stored : withoutEntries(stored, agentId, remove);
    const entries = add.map((entry) => ({ id: world.newEntryId(), ...entry }));
    return withEntries(without, agentId, entries);
  });
  return told(changed, "patched", asker, world);
}

function told(changed: Result<string, Denial>, what: string, asker: Asker, world: World): Result<JsonObject, Denial> {
  if (!changed.ok) return changed;
  world.note({ type: "policy.changed", details: { what, by: asker.credential, hash: changed.value } });
  return ok({ hash: changed.value });
}

export function otherHost(): Denial {
  return denial("wire.unknown-method", "this daemon is not part of a fleet; ask the host itself", { field: "nodeId" });
}
