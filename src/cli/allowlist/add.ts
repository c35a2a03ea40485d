/** `countersign allowlist add`: one more entry, through the daemon where one answers and in the file where none does. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isAgentId } from "../../core/ids.ts";
import { isArgPattern } from "../../policy/arg-pattern.ts";
import { compileRegex } from "../../policy/arg-regex.ts";
import { shownWord } from "../../wire/display.ts";
import { shownText } from "../../wire/shown-text.ts";
import { visibleText } from "../../wire/visible.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { groundOf } from "../doctor/ground.ts";
import { EXIT } from "../exit-code.ts";
import { durationMs, wholeNumber } from "../flag-values.ts";
import { tell, warn } from "../tell.ts";
import { addEntry, type Entry } from "./edit.ts";
import { allowlistFindings } from "./findings.ts";

export async function run(call: CommandCall): Promise<number> {
  const agentId = call.text("agent") ?? "main";
  if (agentId !== "*" && !isAgentId(agentId)) throw new UsageError(`\`${agentId}\` is not an agent's id`);
  const entry = entryOf(call);
  const hash = await addEntry(call, agentId, entry);
  if (call.has("json")) call.io.out(JSON.stringify({ agentId, entry, hash }));
  else {
    tell(call.io, `${shownWord(entry.pattern)} is on the allowlist of ${agentId === "*" ? "every agent" : agentId}`);
    for (const message of await objections(call, agentId, entry.pattern))
      warn(call.io, `countersign: warning: ${shownWord(entry.pattern)}: ${visibleText(message)}`);
  }
  return EXIT.ok;
}

/** What `allowlist lint` says against it, where this user may read the document at all. */
async function objections(call: CommandCall, agentId: string, pattern: string): Promise<readonly string[]> {
  const ground = groundOf(call);
  const section = ground.document?.ok === true ? ground.document.value.agents.get(agentId) : undefined;
  if (ground.document?.ok !== true || section === undefined) return [];
  const found = await allowlistFindings(ground.document.value, ground);
  const about = found.ok ? found.value.filter((each) => each.pattern === pattern && each.source.startsWith(`${section.path}.`)) : [];
  return about.map(({ message }) => message);
}

function entryOf(call: CommandCall): Entry {
  const pattern = patternOf(call);
  const argPattern = call.text("arg-pattern");
  if (argPattern !== undefined && !isArgPattern(argPattern, compileRegex)) {
    throw new UsageError(`\`--arg-pattern\` is a regular expression as RE2 has it, not \`${shownText(argPattern)}\``);
  }
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
