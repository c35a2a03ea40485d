import { SPAWN_DEPTH_DEFAULT } from "../core/limits.ts";
import { LEAF_DENIED, SUBAGENT_DENIED } from "./catalog.ts";
import { row, type Step } from "./layer.ts";
import type { NameLists } from "./tool-config.ts";
import { type ToolName, toolName } from "./tool-name.ts";

/** What a spawned agent loses: the same tools at every depth, and from `maxSpawnDepth` on those that spawn, so depth only ever narrows. */
export interface SubagentSteps {
  at(depth: number): readonly Step[];
}

export function compileSubagents(
  maxSpawnDepth: number | undefined,
  explicit: { readonly agentAllow: readonly string[]; readonly lists: readonly NameLists[] },
  configured: readonly Step[],
): SubagentSteps {
  const leafDepth = maxSpawnDepth ?? SPAWN_DEPTH_DEFAULT;
  // A name that is spelt out was meant. A group or a star was not written with subagents in mind.
  const lifted = new Set(
    [...explicit.agentAllow, ...explicit.lists.flatMap(({ allow = [], alsoAllow = [] }) => [...allow, ...alsoAllow])].map(toolName),
  );
  const always = denying(
    SUBAGENT_DENIED.map(toolName).filter((tool) => !lifted.has(tool)),
    "denied to every subagent",
  );
  const leaf = denying(LEAF_DENIED.map(toolName), `denied from depth ${leafDepth} on`);
  const tier = [always, ...configured];
  const last = [always, leaf, ...configured];
  return { at: (depth) => (depth < 1 ? [] : depth < leafDepth ? tier : last) };
}

/** Whether a list spells out a tool that subagents otherwise lose. */
export function liftsAny(allow: readonly string[]): boolean {
  return allow.some((entry) => SUBAGENT_DENIED.includes(toolName(entry)));
}

function denying(tools: readonly ToolName[], rule: string): Step {
  const denied = new Set(tools);
  const refusal = row("subagent", "deny", "default", "", rule);
  return { judge: (tool) => (denied.has(tool) ? refusal : null) };
}
