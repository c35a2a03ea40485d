/** `countersign allowlist lint`: what a careful person would ask about each entry. Reads the files themselves, so no daemon is needed. */
import { CallError } from "../../client/call-error.ts";
import { parseAbsolutePath } from "../../core/absolute-path.ts";
import { type AgentId, isAgentId } from "../../core/ids.ts";
import { createChildren } from "../../exec/child.ts";
import { type Finding, lintAllowlist } from "../../policy/lint.ts";
import { shownWord } from "../../wire/display.ts";
import type { CommandCall } from "../command.ts";
import { type Ground, groundOf, settingsInForce } from "../doctor/ground.ts";
import { EXIT } from "../exit-code.ts";
import { type Paint, painter } from "../paint.ts";
import { labelledSentence } from "../render-command.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const findings = findingsIn(groundOf(call));
  if (call.has("json")) {
    io.out(JSON.stringify({ findings }));
  } else if (findings.length === 0) {
    io.out("nothing to say against any entry");
  } else {
    const paint = painter(io.colour);
    for (const finding of findings) for (const line of findingLines(finding, paint, io.columns())) io.out(line);
  }
  return Promise.resolve(findings.length === 0 ? EXIT.ok : EXIT.general);
}

function findingsIn(ground: Ground): readonly Finding[] {
  const { document, paths, nowMs, env, native } = ground;
  if (document === null) return [];
  if (!document.ok) throw new CallError(document.failure.code, document.failure.message, document.failure.details);
  const stateDirectory = parseAbsolutePath(paths.directory);
  if (!stateDirectory.ok) return [];
  const children = createChildren({ atStart: env, stateDirectory: stateDirectory.value, native });
  return [...document.value.agents].flatMap(([name, { allowlist }]) => {
    const child = children.childOf(settingsInForce(ground).execFor(agentFor(name)));
    if (!child.ok) throw new CallError(child.failure.code, child.failure.message, child.failure.details);
    return lintAllowlist(allowlist, child.value.machine, nowMs);
  });
}

/** `*` holds for every agent, and is looked at with the eyes of the usual one. */
function agentFor(name: string): AgentId {
  const agent = name === "*" ? "main" : name;
  if (!isAgentId(agent)) throw new CallError("state.corrupt", `\`${name}\` is not an agent's id; rename the section`);
  return agent;
}

const LOUD: ReadonlySet<Finding["kind"]> = new Set(["anything", "shell", "interpreter", "writable"]);

function findingLines({ pattern, source, kind, message }: Finding, paint: Paint, columns: number): readonly string[] {
  const ink = LOUD.has(kind) ? paint.red : paint.yellow;
  return [`${paint.bold(shownWord(pattern))}  ${ink(kind)}  ${paint.dim(source)}`, ...labelledSentence("", message, columns, paint)];
}
