import type { JsonObject } from "../core/json.ts";
import type { LayerRow, Step } from "./layer.ts";
import type { ToolCall, ToolMachine } from "./tool-call.ts";
import type { AgentSection, ToolConfig } from "./tool-config.ts";
import type { ToolName } from "./tool-name.ts";

/** What tools may be called with: paths, addresses on the net, commands. */
export interface ArgumentRules {
  /** `enabled: false` takes a tool away altogether. */
  readonly switchedOff: Step | null;
  judge(tool: ToolName, call: JudgedCall, machine: ToolMachine): LayerRow | null;
}

export type JudgedCall = Omit<ToolCall, "args"> & { readonly args: JsonObject };

export function compileArguments(_config: ToolConfig, _agent: AgentSection | null): ArgumentRules {
  return { switchedOff: null, judge: () => null };
}
