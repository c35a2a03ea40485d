import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CallError } from "../client/call-error.ts";
import { findDaemon } from "../client/credential.ts";
import { exportOpenclaw } from "../policy/openclaw-document.ts";
import { replaceFile } from "../store/replace.ts";
import { type CommandCall, UsageError } from "./command.ts";
import { confirmed } from "./confirm.ts";
import { must } from "./must.ts";
import { placeOf } from "./session.ts";
import { openStoredDocument } from "./stored-document.ts";
import { tell, warn } from "./tell.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const file = call.text("openclaw");
  if (file === undefined) throw new UsageError("say where to write it: --openclaw FILE, or - for standard output");
  const socket = call.has("with-socket") ? socketOf(call) : null;
  if (file === "-" && socket !== null) throw new UsageError("--with-socket writes a token, and that belongs into a file; name one");
  const stored = await openStoredDocument(call);
  const { document, leftOut } = exportOpenclaw(stored.raw, socket);
  stored.close();
  const json = call.has("json");
  if (!json) for (const remark of leftOut) warn(io, `countersign: left out: ${remark}`);
  const text = JSON.stringify(document, null, 2);
  if (file === "-") {
    io.out(text);
    return 0;
  }
  const path = resolve(io.cwd, file);
  if (/(^|\/)\.openclaw$/.test(dirname(path))) {
    warn(io, "countersign: OpenClaw from 2026.8.1 on does not work while an exec-approvals.json lies in its own directory");
  }
  const written = !call.has("dry-run") && (!existsSync(path) || (await confirmed(call, `Replace ${path}?`)));
  if (written) must(await replaceFile(path, `${text}\n`));
  if (json) io.out(JSON.stringify({ path, written, leftOut }));
  else if (written) tell(io, `wrote ${path}`);
  return 0;
}

/** What OpenClaw's clients need to find this daemon and to sign for it. */
function socketOf(call: CommandCall): { readonly path: string; readonly token: string } {
  const { socketPath, credential } = findDaemon(placeOf(call), "gateway", call.text("token-file"), call.io.env);
  if (credential === null)
    throw new CallError("client.no-credential", "there is no gateway token to write; name its file with --token-file");
  return { path: socketPath, token: credential.token };
}
