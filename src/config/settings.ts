import type { Denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import { APPROVAL_TIMEOUT_DEFAULT_MS, SETTINGS_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ExecSettings } from "../policy/exec-settings.ts";
import { compileElevated, type ElevatedPolicy } from "../tools/elevated.ts";
import type { ToolConfig } from "../tools/tool-config.ts";
import { compileToolPolicy, type ToolPolicy } from "../tools/tool-policy.ts";
import { distinctWarnings } from "../tools/warnings.ts";
import { layExec } from "./exec-for.ts";
import { parseTree } from "./json5-tree.ts";
import { invalidSettings, type Problem } from "./problem.ts";
import { settingsSection, type WrittenSettings } from "./settings-table.ts";
import { toolConfigOf } from "./tool-config-of.ts";

/** `countersign.json5`, read and frozen. A new file makes new settings; nothing changes these. */
export interface Settings {
  execFor(agentId: AgentId): ExecSettings;
  readonly approvalTimeoutMs: number;
  readonly trustForwardedDecisions: boolean;
  readonly tools: ToolPolicy;
  readonly elevated: ElevatedPolicy;
  /** What `tools` was compiled from, for whoever explains it. */
  readonly toolConfig: ToolConfig;
  /** What a person should look at although it is no mistake, each said once. */
  readonly warnings: readonly string[];
}

/** `source` is the file's name as it should be shown. */
export function parseSettings(text: string, source: string): Result<Settings, Denial> {
  const refuse = (problems: readonly Problem[]) => fail(invalidSettings(problems, text, source));
  if (Buffer.byteLength(text) > SETTINGS_BYTES_MAX)
    return refuse([{ path: "", at: 0, message: `has more than ${SETTINGS_BYTES_MAX} bytes` }]);
  const tree = parseTree(text);
  if (!tree.ok) return refuse([{ path: "", ...tree.failure }]);
  const problems: Problem[] = [];
  const written = settingsSection.read(tree.value, "", problems);
  if (problems.length > 0) return refuse(problems);
  return ok(settingsOf(written ?? {}));
}

export function defaultSettings(): Settings {
  return settingsOf({});
}

function settingsOf(written: WrittenSettings): Settings {
  const skillBins = skillBinsOf(written.skills);
  const global = written.tools?.exec ?? {};
  const others = layExec([global], skillBins);
  const byAgent = new Map(
    (written.agents?.agents ?? []).map(({ id, section: { exec = {}, tools } }) => [
      id,
      layExec([global, exec, tools?.exec ?? {}], skillBins),
    ]),
  );
  const toolConfig = toolConfigOf(written);
  const tools = compileToolPolicy(toolConfig);
  const elevated = compileElevated(toolConfig);
  return Object.freeze({
    execFor: (agentId: AgentId) => byAgent.get(agentId) ?? others,
    approvalTimeoutMs: written.approvals?.exec?.timeout ?? APPROVAL_TIMEOUT_DEFAULT_MS,
    trustForwardedDecisions: written.openclaw?.trustForwardedDecisions ?? false,
    tools,
    elevated,
    toolConfig,
    warnings: distinctWarnings([...tools.warnings, ...elevated.warnings]),
  });
}

function skillBinsOf(skills: WrittenSettings["skills"]): ExecSettings["skillBins"] {
  return [...(skills?.values() ?? [])].flatMap(({ bins }) =>
    (bins ?? []).flatMap(({ name, path }) => (name === undefined || path === undefined ? [] : [{ name, path }])),
  );
}
