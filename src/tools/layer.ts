import type { ToolName } from "./tool-name.ts";

/** The layers in the order in which they are asked. Each can only narrow what the ones before it left. */
export const LAYERS = [
  "name", "profile", "owner-only", "provider-profile", "global", "provider", "agent", "agent-provider", "group", "sandbox", "workspace",
  "subagent", "arguments",
] as const; // biome-ignore format: one list
export type Layer = (typeof LAYERS)[number];

/** Whose word it was: an agent's section, one for all agents, or nobody's. */
export type Origin = "agent" | "global" | "default";

/** What one layer said about one tool. `source` is the origin and the place in the file: `agent agents.list[0].tools.deny[2]`. */
export interface LayerRow {
  readonly layer: Layer;
  readonly source: string;
  readonly verdict: "allow" | "deny";
  readonly rule: string;
}

/** A layer, compiled. `null`: it has nothing to say about this tool. */
export interface Step {
  judge(tool: ToolName): LayerRow | null;
}

export function row(layer: Layer, verdict: "allow" | "deny", origin: Origin, path: string, rule: string): LayerRow {
  return { layer, source: path === "" ? origin : `${origin} ${path}`, verdict, rule };
}
