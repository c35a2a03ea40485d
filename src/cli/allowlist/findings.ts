/** What is to be said against the entries of every agent, read from the files themselves: for `allowlist lint`, `allowlist add` and `doctor`. */
import { parseAbsolutePath } from "../../core/absolute-path.ts";
import { type Denial, denial } from "../../core/denial.ts";
import { type AgentId, isAgentId } from "../../core/ids.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { createChildren } from "../../exec/child.ts";
import { loadRegexCompiler } from "../../policy/arg-pattern.ts";
import type { ExecDocument } from "../../policy/document.ts";
import { type Finding, lintAllowlist } from "../../policy/lint.ts";
import { type Ground, settingsInForce } from "../doctor/ground.ts";

export async function allowlistFindings({ agents }: ExecDocument, ground: Ground): Promise<Result<readonly Finding[], Denial>> {
  const { paths, nowMs, env, native } = ground;
  const stateDirectory = parseAbsolutePath(paths.directory);
  if (!stateDirectory.ok) return ok([]);
  const children = createChildren({ atStart: env, stateDirectory: stateDirectory.value, native });
  const compileRegex = await loadRegexCompiler([...agents.values()].flatMap(({ allowlist }) => allowlist));
  const findings: Finding[] = [];
  // The usual agent is there even when no section is its own: what its settings say must hold too.
  for (const name of new Set([...agents.keys(), "main"])) {
    const agentId = agentFor(name);
    if (agentId === null) return fail(denial("state.corrupt", `\`${name}\` is not an agent's id; rename the section`));
    const child = children.childOf(settingsInForce(ground).execFor(agentId));
    if (!child.ok) return child;
    findings.push(...lintAllowlist(agents.get(name)?.allowlist ?? [], child.value.machine, nowMs, compileRegex));
  }
  return ok(findings);
}

/** `*` holds for every agent, and is looked at with the eyes of the usual one. */
function agentFor(name: string): AgentId | null {
  const agent = name === "*" ? "main" : name;
  return isAgentId(agent) ? agent : null;
}

/** Entries that let through more than somebody may have meant, as against those that are merely of no use. */
export const LOUD: ReadonlySet<Finding["kind"]> = new Set(["anything", "shell", "interpreter", "writable"]);
