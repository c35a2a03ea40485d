import type { AgentId } from "../core/ids.ts";
import type { AllowEntry } from "./allow-entry.ts";
import type { ExecDocument, PolicyFields } from "./document.ts";
import type { Ask, AskFallback, Security } from "./exec-settings.ts";

/** What holds for one agent, each value with the place it was read from, so that every answer can name its source. */
export interface EffectivePolicy {
  readonly security: Sourced<Security>;
  readonly ask: Sourced<Ask>;
  readonly askFallback: Sourced<AskFallback>;
  readonly autoAllowSkills: Sourced<boolean>;
  /** The entries for all agents, then the agent's own. */
  readonly allowlist: readonly AllowEntry[];
}

export interface Sourced<Value> {
  readonly value: Value;
  /** A path in exec-approvals.json, or `built-in`. */
  readonly source: string;
}

export function effectiveFor(document: ExecDocument, agentId: AgentId): EffectivePolicy {
  const own = document.agents.get(agentId);
  const all = document.agents.get("*");
  const layers: readonly (readonly [string, PolicyFields | undefined])[] = [
    [own?.path ?? "", own],
    [all?.path ?? "", all],
    ["defaults", document.defaults],
  ];
  function first<Value>(field: string, read: (fields: PolicyFields) => Value | null, builtIn: Value): Sourced<Value> {
    for (const [path, fields] of layers) {
      const value = fields === undefined ? null : read(fields);
      if (value !== null) return { value, source: `${path}.${field}` };
    }
    return { value: builtIn, source: "built-in" };
  }
  return {
    security: first<Security>("security", (fields) => fields.security, "allowlist"),
    ask: first<Ask>("ask", (fields) => fields.ask, "on-miss"),
    askFallback: first<AskFallback>("askFallback", (fields) => fields.askFallback, "deny"),
    autoAllowSkills: first<boolean>("autoAllowSkills", (fields) => fields.autoAllowSkills, false),
    allowlist: [...(all?.allowlist ?? []), ...(own?.allowlist ?? [])],
  };
}
