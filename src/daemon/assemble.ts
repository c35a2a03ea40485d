/** Puts the daemon together on a state directory that is open, locked and filled. Nothing listens yet when it is done. */
import { prune } from "../approvals/ledger.ts";
import type { Denial } from "../core/denial.ts";
import { isApprovalId } from "../core/ids.ts";
import { SETTLED_KEPT_BYTES_MAX, SETTLED_KEPT_MS, TIDY_EVERY_MS } from "../core/limits.ts";
import { ok, type Result } from "../core/result.ts";
import type { ExecHost } from "../exec/exec-host.ts";
import { pruned } from "../policy/document-edit.ts";
import { openRecordFiles, type RecordFiles } from "../store/record-files.ts";
import { sweepTemporaries } from "../store/replace.ts";
import type { StatePaths } from "../store/state-paths.ts";
import { createWorld } from "./create-world.ts";
import { type CredentialStore, createCredentialStore } from "./credentials.ts";
import type { FilledState } from "./init.ts";
import { type OpenLedger, openLedger, reportLost } from "./open-ledger.ts";
import type { Policies } from "./policies.ts";
import { openTrust, type Trust } from "./trust.ts";
import { createUses, type Uses } from "./uses.ts";
import type { World } from "./world.ts";

export interface Assembled {
  readonly world: World;
  readonly kept: OpenLedger;
  readonly credentials: CredentialStore;
  readonly trust: Trust;
  readonly uses: Uses;
  /** How many runs the last daemon started and did not finish. */
  readonly lost: number;
  close(): Promise<void>;
}

export interface AssemblyParts {
  readonly paths: StatePaths;
  readonly uid: number;
  readonly filled: FilledState;
  readonly exec: ExecHost;
  readonly stopping: AbortSignal;
  readonly allowUnattended: boolean;
  readonly holdAfterConsumption: string | null;
  policies(): Policies;
}

export async function assemble(parts: AssemblyParts): Promise<Result<Assembled, Denial>> {
  const { paths, uid, filled, exec } = parts;
  const { documentFile, secrets } = filled;
  for (const directory of [paths.directory, paths.approvals]) await sweepTemporaries(directory);
  const trust = openTrust(paths.trust, uid);
  if (!trust.ok) return trust;
  const kept = await openLedger(paths.audit);
  if (!kept.ok) return kept;
  const lost = await reportLost(kept.value);
  if (!lost.ok) return lost;
  const records = openRecordFiles(paths.approvals);
  await records.sweep((name) => isApprovalId(name) && kept.value.ledger.approvals.has(name));
  const uses = createUses((edit) => documentFile.change(null, edit));
  const world = createWorld({ ...parts, ...filled, kept: kept.value, records, trust: trust.value, uses });
  const tidying = setInterval(() => void tidy(world, records, parts), TIDY_EVERY_MS).unref();
  await tidy(world, records, parts);
  return ok({
    world,
    kept: kept.value,
    trust: trust.value,
    uses,
    lost: lost.value,
    credentials: createCredentialStore({
      documentFile,
      operatorTokenPath: paths.operatorToken,
      operatorToken: secrets.operatorToken,
      uid,
    }),
    async close() {
      clearInterval(tidying);
      world.desk.stop();
      await uses.stop();
      await exec.stop();
      await kept.value.journal.close();
    },
  });
}

/** What ran out goes: settled approvals with their records, and grants that can match nothing any more. */
async function tidy(world: World, records: RecordFiles, { filled }: AssemblyParts): Promise<void> {
  const now = world.clock.nowMs();
  const { ledger } = world.desk;
  await records.drop(prune(ledger, now, { settledMs: SETTLED_KEPT_MS, settledBytesMax: SETTLED_KEPT_BYTES_MAX }));
  const stored = filled.documentFile.read();
  if (!stored.ok) return;
  const isSpent = (key: string): boolean => grantedUses(stored.value.document.agents, key) <= (ledger.usesSpent.get(key) ?? 0);
  if (pruned(stored.value.document, now, isSpent) === stored.value.document) return;
  await filled.documentFile.change(null, (document) => ok(pruned(document, now, isSpent)));
}

function grantedUses(
  agents: ReadonlyMap<string, { readonly allowlist: readonly { key: string; usesLeft: number | null }[] }>,
  key: string,
): number {
  for (const { allowlist } of agents.values()) {
    const found = allowlist.find((entry) => entry.key === key);
    if (found !== undefined) return found.usesLeft ?? Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}
