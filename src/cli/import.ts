import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CallError } from "../client/call-error.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { DOCUMENT_BYTES_MAX } from "../core/limits.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { readDocument } from "../policy/document.ts";
import { type Import, importOpenclaw } from "../policy/openclaw-document.ts";
import { changedLines } from "./changed-lines.ts";
import { type CommandCall, UsageError } from "./command.ts";
import { confirmed } from "./confirm.ts";
import { openStoredDocument } from "./stored-document.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const file = call.text("openclaw");
  if (file === undefined) throw new UsageError("say what to read: --openclaw FILE");
  const theirs = readTheirs(resolve(io.cwd, file));
  const stored = await openStoredDocument(call);
  try {
    const ours = readDocument(stored.raw);
    if (!ours.ok) throw new CallError(ours.failure.code, ours.failure.message, ours.failure.details);
    const everything = importOpenclaw(theirs, ours.value, true);
    const takeWider = everything.wider.length > 0 && (await mayWiden(call, everything));
    const taken = takeWider ? everything : importOpenclaw(theirs, ours.value, call.has("dry-run"));
    for (const remark of taken.leftOut) io.out(`left out: ${remark}`);
    const changes = changedLines(json(stored.raw), json(taken.document));
    if (changes.length === 0) {
      io.out("nothing to import: everything in it holds here already");
      return 0;
    }
    for (const line of changes) io.out(`  ${line}`);
    if (!(await confirmed(call, "Write this?"))) return 0;
    await stored.write(taken.document);
    io.out(`imported ${taken.entriesAdded} entries; \`countersign allowlist lint\` says which of them cover a lot`);
    return 0;
  } finally {
    stored.close();
  }
}

/** What allows more than holds here now is a question of its own: a no leaves it out and takes the rest. */
async function mayWiden(call: CommandCall, { wider }: Import): Promise<boolean> {
  const { io } = call;
  io.out("allows more than what holds here now:");
  for (const { path, from, to } of wider) io.out(`  ${path}: ${from} -> ${to}`);
  return confirmed(call, "Copy these too?");
}

function readTheirs(path: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new CallError("state.io", `\`${path}\` cannot be read: ${error instanceof Error ? error.message : "unknown error"}`, { path });
  }
  const parsed = text.length > DOCUMENT_BYTES_MAX ? null : parseStrictJson(text);
  if (parsed?.ok !== true || !isJsonObject(parsed.value)) {
    const why = parsed?.ok === false ? `: ${parsed.failure.message}` : "";
    throw new CallError("config.invalid", `\`${path}\` is not an exec-approvals.json${why}`, { path });
  }
  if (parsed.value["version"] !== 1)
    throw new CallError("config.invalid", `\`${path}\` has another version than 1; nothing was read`, { path });
  return parsed.value;
}

function json(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
