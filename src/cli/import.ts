import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CallError } from "../client/call-error.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { DOCUMENT_BYTES_MAX } from "../core/limits.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { readDocument } from "../policy/document.ts";
import { type Import, importOpenclaw } from "../policy/openclaw-document.ts";
import { errnoOf } from "../store/io-denial.ts";
import { changedLines } from "./changed-lines.ts";
import { type CommandCall, UsageError } from "./command.ts";
import { confirmed } from "./confirm.ts";
import { must } from "./must.ts";
import { openStoredDocument } from "./stored-document.ts";
import { tell } from "./tell.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const file = call.text("openclaw");
  if (file === undefined) throw new UsageError("say what to read: --openclaw FILE");
  const theirs = readTheirs(resolve(io.cwd, file));
  const stored = await openStoredDocument(call);
  try {
    const ours = must(readDocument(stored.raw));
    const everything = importOpenclaw(theirs, ours, true);
    const takeWider = everything.wider.length > 0 && (await mayWiden(call, everything));
    const taken = takeWider ? everything : importOpenclaw(theirs, ours, call.has("dry-run"));
    const changes = changedLines(json(stored.raw), json(taken.document));
    if (!call.has("json")) showChanges(call, taken, changes);
    const written = changes.length > 0 && (await confirmed(call, "Write this?"));
    if (written) await stored.write(taken.document);
    const { entriesAdded, wider, leftOut } = taken;
    if (call.has("json")) io.out(JSON.stringify({ written, entriesAdded, wider: takeWider || call.has("dry-run") ? wider : [], leftOut }));
    else if (written) {
      const added = `${entriesAdded} ${entriesAdded === 1 ? "entry" : "entries"}`;
      tell(io, `imported ${added}; \`countersign allowlist lint\` says which cover a lot`);
    }
    return 0;
  } finally {
    stored.close();
  }
}

function showChanges({ io }: CommandCall, { leftOut }: Import, changes: readonly string[]): void {
  for (const remark of leftOut) tell(io, `left out: ${remark}`);
  if (changes.length === 0) tell(io, "nothing to import: everything in it holds here already");
  for (const line of changes) io.out(`  ${line}`);
}

/** What allows more than holds here now is a question of its own: a no leaves it out and takes the rest. */
async function mayWiden(call: CommandCall, { wider }: Import): Promise<boolean> {
  const { io } = call;
  if (!call.has("json")) {
    io.out("allows more than what holds here now:");
    for (const { path, from, to } of wider) io.out(`  ${path}: ${from} -> ${to}`);
  }
  return confirmed(call, "Copy these too?");
}

function readTheirs(path: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new CallError("state.io", `\`${path}\` cannot be read (${errnoOf(error) ?? "unknown error"}); name another file`, { path });
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
