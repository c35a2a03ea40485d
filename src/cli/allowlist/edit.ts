/** One entry more in the document. A long list does not fit one line of the wire, so the daemon is sent the change and not the whole. */

import { randomUUID } from "node:crypto";
import { parseSha256, sha256Of } from "../../core/sha256.ts";
import { readDocument } from "../../policy/document.ts";
import { withEntries } from "../../policy/document-edit.ts";
import { renderDocument } from "../../policy/render-document.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { must } from "../must.ts";
import { operatorIfThere } from "../session.ts";
import { openStoredDocument } from "../stored-document.ts";

export interface Entry {
  readonly pattern: string;
  readonly argPattern?: string;
  readonly sha256?: string;
  readonly expiresAt?: number;
  readonly usesLeft?: number;
}

/** Gives back the hash of the document with the entry in it. */
export async function addEntry(call: CommandCall, agentId: string, entry: Entry): Promise<string> {
  const client = await operatorIfThere(call);
  if (client === null) return addInFile(call, agentId, entry);
  try {
    const { document } = await client.call("status");
    const baseHash = document?.hash ?? (await client.call("exec.approvals.get")).hash;
    return (await client.call("exec.approvals.patch", { baseHash, agentId, add: [{ ...entry }] })).hash;
  } finally {
    client.close();
  }
}

async function addInFile(call: CommandCall, agentId: string, { sha256: digest, ...entry }: Entry): Promise<string> {
  const stored = await openStoredDocument(call);
  try {
    const sha256 = digest === undefined ? null : parseSha256(digest);
    if (sha256?.ok === false) throw new UsageError("`--sha256` is 64 lower-case hex digits");
    const added = { id: randomUUID(), ...entry, ...(sha256?.ok === true ? { sha256: sha256.value } : {}) };
    const edited = must(withEntries(must(readDocument(stored.raw)), agentId, [added]));
    await stored.write(edited.raw);
    return sha256Of(renderDocument(edited));
  } finally {
    stored.close();
  }
}
