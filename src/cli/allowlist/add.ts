/** `countersign allowlist add`: one more entry, through the daemon where one answers and in the file where none does. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isAgentId } from "../../core/ids.ts";
import { shownWord } from "../../wire/display.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { durationMs, wholeNumber } from "../flag-values.ts";
import { addEntry, type Entry } from "./edit.ts";

export async function run(call: CommandCall): Promise<number> {
  const agentId = call.text("agent") ?? "main";
  if (agentId !== "*" && !isAgentId(agentId)) throw new UsageError(`\`${agentId}\` is not an agent's id`);
  const entry = entryOf(call);
  const hash = await addEntry(call, agentId, entry);
  if (call.has("json")) call.io.out(JSON.stringify({ agentId, entry, hash }));
  else call.io.out(`${shownWord(entry.pattern)} runs without being asked about, for ${agentId === "*" ? "every agent" : agentId}`);
  return EXIT.ok;
}

function entryOf(call: CommandCall): Entry {
  const pattern = patternOf(call);
  const argPattern = call.text("arg-pattern");
  const sha256 = digestOf(call, pattern);
  const forMs = durationMs(call, "for");
  const uses = wholeNumber(call, "uses");
  return {
    pattern,
    ...(argPattern === undefined ? {} : { argPattern }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(forMs === undefined ? {} : { expiresAt: Date.now() + forMs }),
    ...(uses === undefined ? {} : { usesLeft: uses }),
  };
}

/** `./deploy.sh` means the one here; what stands in the document is the same wherever it is read. */
function patternOf(call: CommandCall): string {
  const [given = ""] = call.operands;
  return given.startsWith("./") || given.startsWith("../") ? resolve(call.io.cwd, given) : given;
}

function digestOf(call: CommandCall, pattern: string): string | undefined {
  const given = call.text("sha256");
  if (!call.has("pin")) return given;
  if (given !== undefined) throw new UsageError("give either --pin or --sha256, not both");
  if (!pattern.startsWith("/") || /[*?]/.test(pattern)) throw new UsageError("--pin needs the path of one file, not a pattern");
  try {
    return createHash("sha256").update(readFileSync(pattern)).digest("hex");
  } catch {
    throw new UsageError(`\`${pattern}\` cannot be read, so there is nothing to pin`);
  }
}
