import type { AgentId } from "../core/ids.ts";
import type { Grant } from "./allow-entry.ts";
import type { ExecDocument, PolicyFields } from "./document.ts";
import type { Ask, AskFallback, Security } from "./exec-settings.ts";

/** What holds for one agent, each value with the place it was read from, so that every answer can name its source. */
export interface EffectivePolicy {
  readonly security: Sourced<Security>;
  readonly ask: Sourced<Ask>;
  readonly askFallback: Sourced<AskFallback>;
  readonly autoAllowSkills: Sourced<boolean>;
  /** The entries for all agents, then the agent's own. */
  readonly allowlist: readonly Grant[];
  /** By key, of the entries that are bounded by a number of uses: how many were granted. */
  readonly usesGranted: ReadonlyMap<string, number>;
}

export interface Sourced<Value> {
  readonly value: Value;
  /** A path in exec-approvals.json, or `built-in`. */
  readonly source: string;
}

/**
 * Worked out once for all versions of a document that decide alike: a list of 100,000 entries is put together when the document changes,
 * and not when a command comes or its use is written down.
 */
const known = new WeakMap<ExecDocument["substance"], Map<AgentId | null, EffectivePolicy>>();

export function effectiveFor(document: ExecDocument, agentId: AgentId): EffectivePolicy {
  const byAgent = known.get(document.substance) ?? new Map<AgentId | null, EffectivePolicy>();
  known.set(document.substance, byAgent);
  const key = sectionOf(document, agentId);
  const policy = byAgent.get(key) ?? workOut(document, agentId);
  byAgent.set(key, policy);
  return policy;
}

/** The agent, if it has a section of its own. All others share what holds for everyone, however many names a gateway makes up. */
export function sectionOf(document: ExecDocument, agentId: AgentId): AgentId | null {
  return document.agents.has(agentId) ? agentId : null;
}

function workOut(document: ExecDocument, agentId: AgentId): EffectivePolicy {
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
  const allowlist = [...(all?.allowlist ?? []), ...(own?.allowlist ?? [])];
  return {
    security: first<Security>("security", (fields) => fields.security, "allowlist"),
    ask: first<Ask>("ask", (fields) => fields.ask, "on-miss"),
    askFallback: first<AskFallback>("askFallback", (fields) => fields.askFallback, "deny"),
    autoAllowSkills: first<boolean>("autoAllowSkills", (fields) => fields.autoAllowSkills, false),
    allowlist,
    usesGranted: new Map(allowlist.flatMap(({ key, usesLeft }) => (usesLeft === null ? [] : [[key, usesLeft] as const]))),
  };
}
