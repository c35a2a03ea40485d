import { parseSettings } from "../../../src/config/settings.ts";
import { type AgentId, isAgentId } from "../../../src/core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { PROFILES } from "../../../src/tools/catalog.ts";
import { knownTools } from "../../../src/tools/known-tools.ts";
import { compileLists } from "../../../src/tools/list-step.ts";
import { readAllowlist } from "../../../src/tools/plugin-only.ts";
import { sandboxPolicyOf } from "../../../src/tools/sandbox-policy.ts";
import { type AgentSection, PROFILE_NAMES, type ToolConfig } from "../../../src/tools/tool-config.ts";
import { toolName } from "../../../src/tools/tool-name.ts";
import { WarningMemory } from "../../../src/tools/warnings.ts";
import { toolMachine } from "../../tools/table-machine.ts";
import type { Area } from "../area.ts";
import { oneOf, optionalTexts, same, textOf, textsOf } from "../reading.ts";

export const area: Area = {
  name: "tool-policy",
  check({ given, expect }) {
    switch (given["op"] ?? "decide") {
      case "decide":
        return checkDecision(given, expect);
      case "matcher":
        return differs({ allowed: matches(given) }, { allowed: expect["allowed"] });
      case "normalize":
        return differs(toolName(textOf(given["name"])), expect["name"]);
      case "expand":
        return differsAsSet(knownTools(pluginsOf(given)).expand(textsOf(given["list"])), expect["tools"]);
      case "profile":
        return differsAsSet(PROFILES[oneOf(given["profile"], PROFILE_NAMES)] ?? [], expect["tools"]);
      case "strip-plugin-only":
        return differs(
          readAllowlist(textsOf(given["allow"]), knownTools(pluginsOf(given), optionalTexts(given["coreTools"]) ?? undefined)),
          expect,
        );
      case "sandbox-policy":
        return checkSandboxPolicy(given, expect);
      case "warnings":
        return differs({ count: countWarnings(given["runs"]) }, expect);
      default:
        return `does not know the op ${JSON.stringify(given["op"])}`;
    }
  },
};

/** A file that does not load lets nothing pass. */
function checkDecision(given: JsonObject, expect: JsonObject): string | null {
  const settings = parseSettings(JSON.stringify(configOf(given)), "vector");
  if (!settings.ok) return expect["allowed"] === false ? null : settings.failure.message;
  const { provider, model } = given;
  const verdict = settings.value.tools.evaluate(
    {
      tool: textOf(given["tool"]),
      agentId: agentOf(given["agentId"] ?? "main"),
      context: {
        ...(provider === undefined ? {} : { provider: textOf(provider) }),
        ...(model === undefined ? {} : { model: textOf(model) }),
        senderIsOwner: given["owner"] !== false,
        sandboxed: given["sandboxed"] === true,
        subagentDepth: typeof given["depth"] === "number" ? given["depth"] : 0,
      },
    },
    toolMachine(),
  );
  const last = verdict.layers.at(-1);
  const found = `${String(verdict.allowed)} by ${JSON.stringify(last)}`;
  if (verdict.allowed !== expect["allowed"]) return found;
  return expect["layer"] === undefined || expect["layer"] === last?.layer ? null : found;
}

function configOf(given: JsonObject): JsonObject {
  const config = isJsonObject(given["config"]) ? given["config"] : {};
  const plugins = [...pluginsOf(given)].map(([id, tools]) => [id, { tools }] as const);
  const access = given["workspaceAccess"];
  return {
    ...config,
    ...(plugins.length === 0 ? {} : { plugins: Object.fromEntries(plugins) }),
    ...(access === undefined || access === null ? {} : { sandboxing: { workspaceAccess: access } }),
  };
}

function matches(given: JsonObject): boolean {
  const policy = isJsonObject(given["policy"]) ? given["policy"] : {};
  const [allow, deny, alsoAllow] = [policy["allow"], policy["deny"], policy["alsoAllow"]].map(optionalTexts);
  const step = stepOf({ ...(allow ? { allow } : {}), ...(deny ? { deny } : {}), ...(alsoAllow ? { alsoAllow } : {}) }, () => undefined);
  return step?.judge(toolName(textOf(given["tool"])))?.verdict !== "deny";
}

function stepOf(lists: Parameters<typeof compileLists>[0], warn: (warning: string) => void): ReturnType<typeof compileLists> {
  const reading = { known: knownTools(new Map()), emptyDenies: false, warn };
  return compileLists(lists, { layer: "global", origin: "global", path: "tools" }, reading);
}

function countWarnings(runs: JsonValue | undefined): number {
  if (!Array.isArray(runs)) throw new Error("runs are a list");
  const memory = new WarningMemory();
  let count = 0;
  for (const run of runs) {
    stepOf({ allow: textsOf(run) }, (warning) => {
      if (memory.isNews(warning)) count += 1;
    });
  }
  return count;
}

function checkSandboxPolicy(given: JsonObject, expect: JsonObject): string | null {
  const settings = parseSettings(JSON.stringify(configOf(given)), "vector");
  if (!settings.ok) return settings.failure.message;
  const { tools, agents } = settings.value.toolConfig;
  const policy = sandboxPolicyOf(tools, agentNamed(agents, given["agentId"]), knownTools(pluginsOf(given)));
  const sources = { allow: policy.allow.origin, deny: policy.deny.origin };
  if (expect["sources"] !== undefined && !same(sources, expect["sources"])) return `sources ${JSON.stringify(sources)}`;
  return (
    (expect["allow"] === undefined ? null : differsAsSet(policy.allow.names, expect["allow"])) ??
    (expect["deny"] === undefined ? null : differsAsSet(policy.deny.names, expect["deny"]))
  );
}

function agentNamed(agents: ToolConfig["agents"], id: JsonValue | undefined): AgentSection | null {
  return agents.find((agent) => agent.id === (id ?? "main")) ?? null;
}

function pluginsOf(given: JsonObject): ReadonlyMap<string, readonly string[]> {
  const plugins = given["plugins"];
  return new Map(isJsonObject(plugins) ? Object.entries(plugins).map(([id, tools]) => [id, textsOf(tools)]) : []);
}

function agentOf(value: JsonValue): AgentId {
  const name = textOf(value);
  if (!isAgentId(name)) throw new Error(`not an agent: ${name}`);
  return name;
}

function differs(found: unknown, expected: unknown): string | null {
  return same(found, expected) ? null : `gave ${JSON.stringify(found)}`;
}

function differsAsSet(found: readonly string[], expected: JsonValue | undefined): string | null {
  return same([...found].sort(), [...textsOf(expected)].sort()) ? null : `gave ${JSON.stringify(found)}`;
}
