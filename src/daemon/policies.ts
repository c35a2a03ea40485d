import type { Settings } from "../config/settings.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { ok, type Result } from "../core/result.ts";
import type { ExecSettings } from "../policy/exec-settings.ts";
import { judgeExec } from "../tools/exec-gate.ts";
import type { LayerRow } from "../tools/layer.ts";
import { namesToLookUp } from "../tools/name-lookup.ts";
import type { ToolMachine } from "../tools/tool-call.ts";
import type { ParamsOf } from "../wire/methods.ts";
import type { Claim } from "../wire/params/command.ts";
import { toolMachineFor } from "./tool-machine.ts";

/** What layer 4 grants a sender who asked for it and may have it; `null` for everyone else. */
export type Elevation = "ask" | "full" | null;

/** What layer 4 says about asking, as the exec decision reads it. */
const ELEVATION = { required: "ask", normal: null, none: "full" } as const;

/** What the settings file says, as far as the road asks. */
export interface Policies {
  execFor(agentId: AgentId): ExecSettings;
  /** The one choke point of layers 1 and 4 for commands. */
  judgeExecTool(speaker: Speaker): Result<Elevation, Denial>;
  readonly approvalTimeoutMs: number;
  readonly trustForwardedDecisions: boolean;
  evaluateTool(params: ParamsOf<"tools.evaluate">, agentId: AgentId): Promise<Result<JsonObject, Denial>>;
  listTools(params: ParamsOf<"tools.list">, agentId: AgentId): Result<JsonObject, Denial>;
  evaluateElevated(params: ParamsOf<"elevated.evaluate">, agentId: AgentId): Result<JsonObject, Denial>;
}

export interface Speaker {
  readonly agentId: AgentId;
  readonly sessionKey: string;
  readonly context: Claim;
  /** What `exec` would be called with: `argv` or `command`, and `env`. */
  readonly args: JsonObject;
}

export interface Places {
  readonly home: AbsolutePath;
  readonly stateDirectory: AbsolutePath;
}

export function policiesOf(settings: Settings, places: Places): Policies {
  const { tools } = settings;
  const nothingToLookAt: ToolMachine = {
    ...places,
    linkAt: () => "hidden",
    realPath: () => null,
    sizeOf: () => null,
    addressesOf: () => null,
  };
  return {
    execFor: (agentId) => settings.execFor(agentId),
    judgeExecTool(speaker) {
      const judged = judgeExec(settings, speaker, nothingToLookAt);
      return judged.ok ? ok(ELEVATION[judged.value.approval]) : judged;
    },
    approvalTimeoutMs: settings.approvalTimeoutMs,
    trustForwardedDecisions: settings.trustForwardedDecisions,
    async evaluateTool({ tool, sessionKey = "", context = {}, args }, agentId) {
      const call = { tool, agentId, sessionKey, context, ...(args === undefined ? {} : { args }) };
      const machine = await toolMachineFor(places, (looking) => namesToLookUp(tools, call, looking));
      const { allowed, code, reason, layers } = tools.evaluate(call, machine);
      return ok({ allowed, code, reason, layers: layers.map(layerJson) });
    },
    listTools({ sessionKey = "", context = {} }, agentId) {
      const listed = tools.list({ agentId, sessionKey, context });
      return ok({
        tools: listed.filter(({ allowed }) => allowed).map(({ tool }) => tool),
        denied: listed.filter(({ allowed }) => !allowed).map(({ tool, decidedBy }) => ({ tool, ...layerJson(decidedBy) })),
      });
    },
    evaluateElevated({ sender, channel, mode, sandboxed }, agentId) {
      const place = settings.elevated.evaluate({ sender, channel, mode, sandboxed, agentId });
      return place.ok ? ok({ ...place.value }) : place;
    },
  };
}

function layerJson({ layer, source, verdict, rule }: LayerRow): JsonObject {
  return { layer, source, verdict, rule };
}
