/** The policy document for commands that edit it as a whole: through the daemon where one answers, and in its file where none does. */

import { homedir } from "node:os";
import type { JsonObject } from "../core/json.ts";
import type { CommandCall } from "./command.ts";
import { must } from "./must.ts";
import { operatorIfThere } from "./session.ts";

export interface StoredDocument {
  /** Without the socket's token when it came from the daemon. */
  readonly raw: JsonObject;
  /** Refused when the document has changed since it was read. */
  write(next: JsonObject): Promise<void>;
  close(): void;
}

export async function openStoredDocument(call: CommandCall): Promise<StoredDocument> {
  const client = await operatorIfThere(call);
  if (client === null) return inFile(call);
  const { document, hash } = await client.call("exec.approvals.get");
  return {
    raw: document,
    write: async (next) => void (await client.call("exec.approvals.set", { document: next, baseHash: hash })),
    close: () => client.close(),
  };
}

async function inFile(call: CommandCall): Promise<StoredDocument> {
  const [{ fillState, openState }, { replaced }] = await Promise.all([import("../daemon/init.ts"), import("../policy/document-edit.ts")]);
  const { io } = call;
  const paths = must(openState({ flag: call.text("state-dir"), env: io.env, home: io.env["HOME"] ?? homedir(), cwd: io.cwd }));
  const { documentFile } = must(await fillState(paths, process.geteuid?.() ?? 0));
  const { document, hash } = must(documentFile.read());
  return {
    raw: document.raw,
    write: async (next) => void must(await documentFile.change(hash, (stored) => replaced(stored, next))),
    close: () => undefined,
  };
}
