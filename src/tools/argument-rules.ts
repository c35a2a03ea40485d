import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { REDIRECTS_PER_CALL_MAX } from "../core/limits.ts";
import { type AskedCommand, compileCommands } from "./command-rules.ts";
import { compileFetch } from "./fetch-rules.ts";
import { compileFileRules, FILE_TOOLS } from "./file-rules.ts";
import { type LayerRow, type Origin, row, type Step } from "./layer.ts";
import { compileOrigins } from "./origin-rules.ts";
import type { ToolCall, ToolMachine } from "./tool-call.ts";
import type { AgentSection, ToolConfig, ToolsSection } from "./tool-config.ts";
import type { ToolName } from "./tool-name.ts";

/** What tools may be called with: paths, addresses on the net, commands. */
export interface ArgumentRules {
  /** `enabled: false` takes a tool away altogether. */
  readonly switchedOff: Step | null;
  judge(tool: ToolName, call: JudgedCall, machine: ToolMachine): LayerRow | null;
}

export type JudgedCall = Omit<ToolCall, "args"> & { readonly args: JsonObject };

type Scope = { readonly section: ToolsSection; readonly origin: Origin; readonly path: string };
type ScopedRule = (call: JudgedCall, machine: ToolMachine) => LayerRow | null;

/** An agent that says nothing about arguments shares the rules of all. */
export function agentArguments(config: ToolConfig, agent: AgentSection, others: ArgumentRules): ArgumentRules {
  const { exec, fs, read, write, browser, web_fetch } = agent.tools;
  const own = [exec?.commands, fs, read, write, browser, web_fetch, agent.workspace];
  return own.every((each) => each === undefined) ? others : compileArguments(config, agent);
}

export function compileArguments(config: ToolConfig, agent: AgentSection | null): ArgumentRules {
  const scopes: readonly Scope[] = [
    { section: config.tools, origin: "global", path: "tools" },
    ...(agent === null ? [] : [{ section: agent.tools, origin: "agent" as const, path: `${agent.path}.tools` }]),
  ];
  const files = compileFileRules(config, agent);
  const rules: Readonly<Record<string, readonly ScopedRule[]>> = {
    web_fetch: scopes.map(fetchRule),
    browser: scopes.map(browserRule),
    exec: scopes.flatMap(commandRule),
  };
  return {
    switchedOff: switchedOff(scopes),
    judge(tool, call, machine) {
      if (FILE_TOOLS.has(tool)) return files.judge(tool, call, machine);
      const own = Object.hasOwn(rules, tool) ? (rules[tool] ?? []) : [];
      for (const rule of own) {
        const refusal = rule(call, machine);
        if (refusal !== null) return refusal;
      }
      return own.length === 0 ? null : row("arguments", "allow", "default", "", "no rule denies the arguments");
    },
  };
}

function switchedOff(scopes: readonly Scope[]): Step | null {
  const refusals = new Map<string, LayerRow>();
  for (const { section, origin, path } of scopes) {
    for (const tool of ["browser", "web_fetch"] as const) {
      if (section[tool]?.enabled === false) refusals.set(tool, row("arguments", "deny", origin, `${path}.${tool}.enabled`, "disabled"));
    }
  }
  return refusals.size === 0 ? null : { judge: (tool) => refusals.get(tool) ?? null };
}

function fetchRule({ section, origin, path }: Scope): ScopedRule {
  const fetching = compileFetch(section.web_fetch ?? {});
  return ({ args }, machine) => {
    const urls = urlsIn(args);
    const refusal = urls === null ? "`args.url` must be a URL" : fetching.judge(urls, machine);
    return refusal === null ? null : row("arguments", "deny", origin, `${path}.web_fetch`, refusal);
  };
}

function browserRule({ section, origin, path }: Scope): ScopedRule {
  const origins = compileOrigins(section.browser ?? {});
  return ({ args }) => {
    const refusal = typeof args["url"] === "string" ? origins.judge(args["url"]) : "`args.url` must be a URL";
    return refusal === null ? null : row("arguments", "deny", origin, `${path}.browser`, refusal);
  };
}

function commandRule({ section, origin, path }: Scope): readonly ScopedRule[] {
  if (section.exec?.commands === undefined) return [];
  const commands = compileCommands(section.exec.commands);
  return [
    ({ args }) => {
      const asked = commandIn(args);
      const refusal = asked === null ? "`args.command` or `args.argv` must be given" : commands.judge(asked);
      return refusal === null ? null : row("arguments", "deny", origin, `${path}.exec.commands`, refusal);
    },
  ];
}

/** The URL, and what it was redirected to: one more URL or the whole way. */
function urlsIn({ url, redirectTo = null }: JsonObject): readonly string[] | null {
  const urls = [url, ...(isList(redirectTo) ? redirectTo : redirectTo === null ? [] : [redirectTo])];
  return isTexts(urls) && urls.length <= 1 + REDIRECTS_PER_CALL_MAX ? urls : null;
}

function commandIn({ command, argv, env }: JsonObject): AskedCommand | null {
  const variables = isJsonObject(env) ? Object.keys(env) : [];
  if (typeof command === "string" && argv === undefined) return { words: command, variables };
  return command === undefined && isList(argv) && isTexts(argv) && argv.length > 0 ? { words: argv, variables } : null;
}

function isTexts(values: readonly (JsonValue | undefined)[]): values is readonly string[] {
  return values.every((value) => typeof value === "string");
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
