/** The log, by way of the daemon or straight from its files: a log that only its writer could check would prove little. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { tailRecords } from "../../audit/tail.ts";
import { verifyChain } from "../../audit/verify-chain.ts";
import { CallError, isCallError } from "../../client/call-error.ts";
import type { ChainReport } from "../../client/results.ts";
import type { JsonObject } from "../../core/json.ts";
import type { CommandCall } from "../command.ts";
import { must } from "../must.ts";
import { placeOf, withClient } from "../session.ts";

export interface AuditPage {
  /** The newest last. */
  readonly records: readonly JsonObject[];
  readonly next: string | null;
}

export interface AuditSource {
  /** Where it is read, for people. */
  readonly from: string;
  tail(page: { readonly limit?: number; readonly cursor?: string }): Promise<AuditPage>;
  verify(): Promise<ChainReport>;
}

/** The daemon knows where its last finished write ends, so it is asked first; without one, and with `--offline`, the files are read. */
export async function auditSource(call: CommandCall): Promise<AuditSource> {
  if (call.has("offline")) return filesOf(call);
  try {
    await withClient(call, "operator", () => Promise.resolve());
    return daemonOf(call);
  } catch (error) {
    if (!isCallError(error) || error.code !== "client.unreachable" || !existsSync(auditDirectory(call))) throw error;
    return filesOf(call);
  }
}

function daemonOf(call: CommandCall): AuditSource {
  return {
    from: "by the daemon",
    tail: async (page) => {
      const { records, next } = await withClient(call, "operator", (client) => client.call("audit.tail", { ...page }));
      return { records, next: next ?? null };
    },
    verify: () => withClient(call, "operator", (client) => client.call("audit.verify")),
  };
}

function filesOf(call: CommandCall): AuditSource {
  const directory = auditDirectory(call);
  if (!existsSync(directory)) {
    throw new CallError("state.io", `there is no audit log at \`${directory}\`; is --state-dir right?`, { path: directory });
  }
  return {
    from: `from ${directory}`,
    tail: async (page) => {
      const { records, next } = must(await tailRecords(directory, page));
      return { records: records.map((record) => ({ ...record })), next };
    },
    verify: () => verifyChain(directory),
  };
}

function auditDirectory(call: CommandCall): string {
  return join(placeOf(call).stateDir, "audit");
}
