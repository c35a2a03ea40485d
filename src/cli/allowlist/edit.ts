/** One entry more in the document. A long list does not fit one line of the wire, so the daemon is sent the change and not the whole. */
import { randomUUID } from "node:crypto";
import { CallError, isCallError } from "../../client/call-error.ts";
import { type Client, connect } from "../../client/client.ts";
import type { JsonObject } from "../../core/json.ts";
import { parseSha256, sha256Of } from "../../core/sha256.ts";
import { type ExecDocument, readDocument, renderDocument } from "../../policy/document.ts";
import { withEntries } from "../../policy/document-edit.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { connectOptions } from "../session.ts";
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
  const client = await reach(call);
  if (client === null) return addInFile(call, agentId, entry);
  try {
    const { document } = await client.call("status");
    const baseHash = document?.hash ?? (await client.call("exec.approvals.get")).hash;
    return (await client.call("exec.approvals.patch", { baseHash, agentId, add: [{ ...entry }] })).hash;
  } finally {
    client.close();
  }
}

async function reach(call: CommandCall): Promise<Client | null> {
  try {
    return await connect(connectOptions(call, "operator"));
  } catch (error) {
    if (isCallError(error) && error.code === "client.unreachable") return null;
    throw error;
  }
}

async function addInFile(call: CommandCall, agentId: string, { sha256: digest, ...entry }: Entry): Promise<string> {
  const stored = await openStoredDocument(call);
  try {
    const sha256 = digest === undefined ? null : parseSha256(digest);
    if (sha256?.ok === false) throw new UsageError("`--sha256` is 64 lower-case hex digits");
    const edited = withEntries(documentOf(stored.raw), agentId, [
      { id: randomUUID(), ...entry, ...(sha256?.ok === true ? { sha256: sha256.value } : {}) },
    ]);
    if (!edited.ok) throw new CallError(edited.failure.code, edited.failure.message, edited.failure.details);
    await stored.write(edited.value.raw);
    return sha256Of(renderDocument(edited.value));
  } finally {
    stored.close();
  }
}

function documentOf(raw: JsonObject): ExecDocument {
  const read = readDocument(raw);
  if (!read.ok) throw new CallError(read.failure.code, read.failure.message, read.failure.details);
  return read.value;
}
