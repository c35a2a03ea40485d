import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Ask, Security } from "../policy/exec-settings.ts";
import { compileSenders, type SenderList } from "./senders.ts";
import type { Sender } from "./tool-call.ts";
import type { ElevatedMode, ElevatedSection, ToolConfig } from "./tool-config.ts";

/** Layer 4: whether a sandboxed agent's command may run on the host, and who has to be asked. */
export interface ElevatedPolicy {
  evaluate(request: ElevatedRequest): Result<ElevatedPlace, Denial>;
  authorize(request: Pick<ElevatedRequest, "sender" | "channel" | "agentId">): Authorization;
  readonly warnings: readonly string[];
}

export interface ElevatedRequest {
  readonly sender?: Sender;
  readonly channel?: string;
  readonly agentId: string;
  /** What the message or the session chose; absent: `agents.defaults.elevatedDefault`. */
  readonly mode?: ElevatedMode;
  readonly sandboxed: boolean;
}

/** `normal`: the ordinary rules decide. `required`: a person is asked whatever is listed. `none`: nobody is asked. */
export interface ElevatedPlace {
  readonly where: "host" | "sandbox";
  readonly approval: "required" | "normal" | "none";
  readonly reason: string;
}

export type Authorization =
  | { readonly allowed: true; readonly source: string }
  | { readonly allowed: false; readonly gate: "enabled" | "allowFrom"; readonly source: string };

export function compileElevated({ tools, agents, defaults }: ToolConfig): ElevatedPolicy {
  const warnings: string[] = [];
  const warn = (warning: string): void => void warnings.push(warning);
  const global = gateOf(tools.elevated ?? {}, "tools.elevated", warn);
  const own = new Map(agents.map(({ id, path, tools }) => [id, gateOf(tools.elevated ?? {}, `${path}.tools.elevated`, warn)]));

  const authorize: ElevatedPolicy["authorize"] = ({ sender, channel, agentId }) => {
    const agent = own.get(agentId);
    // Off unless someone said so. An agent's section can only take away, so its silence leaves the global word.
    if (global.enabled !== true) return { allowed: false, gate: "enabled", source: `${global.path}.enabled` };
    if (agent?.enabled === false) return { allowed: false, gate: "enabled", source: `${agent.path}.enabled` };
    const entry = global.senders?.find(sender, channel) ?? null;
    if (entry === null) return { allowed: false, gate: "allowFrom", source: `${global.path}.allowFrom` };
    if (agent?.senders === undefined) return { allowed: true, source: `${global.path}.allowFrom: ${entry}` };
    const second = agent.senders.find(sender, channel);
    if (second === null) return { allowed: false, gate: "allowFrom", source: `${agent.path}.allowFrom` };
    return { allowed: true, source: `${agent.path}.allowFrom: ${second}` };
  };

  return Object.freeze({
    evaluate(request: ElevatedRequest): Result<ElevatedPlace, Denial> {
      const authorization = authorize(request);
      const chosen = request.mode ?? null;
      const place = placeOf({
        sandboxed: request.sandboxed,
        chosen,
        usual: defaults.elevatedDefault ?? null,
        authorized: authorization.allowed,
      });
      return place.where === "rejected" ? fail(refusal(request, authorization)) : ok({ ...place, where: place.where });
    },
    authorize,
    warnings,
  });
}

export interface PlaceInput {
  readonly sandboxed: boolean;
  /** By the message, else by the session. */
  readonly chosen: ElevatedMode | null;
  readonly usual: ElevatedMode | null;
  readonly authorized: boolean;
  /** What the layers before this one say, where it is known already. */
  readonly exec?: { readonly toolAllowed: boolean; readonly security: Security; readonly ask: Ask; readonly listed: boolean };
}

type Place = Omit<ElevatedPlace, "where"> & { readonly where: ElevatedPlace["where"] | "rejected" };

export function placeOf({ sandboxed, chosen, usual, authorized, exec }: PlaceInput): Place {
  if (exec?.toolAllowed === false || exec?.security === "deny") {
    return { where: "rejected", approval: "required", reason: "an earlier layer denies every command, and elevated mode cannot undo that" };
  }
  // A default that its sender may not use counts as off: nobody asked for anything.
  const mode = chosen ?? (authorized ? usual : null) ?? "off";
  if (!sandboxed) {
    const approval = mode === "ask" ? "required" : "normal";
    return { where: "host", approval, reason: "the agent is not sandboxed, so elevated mode changes nothing" };
  }
  if (mode === "off") return { where: "sandbox", approval: "normal", reason: "elevated mode is off" };
  if (!authorized) return { where: "rejected", approval: "required", reason: "this sender may not use elevated mode" };
  return { where: "host", approval: approvalUnder(mode, exec), reason: `elevated mode is \`${mode}\`` };
}

function approvalUnder(mode: Exclude<ElevatedMode, "off">, exec: PlaceInput["exec"]): ElevatedPlace["approval"] {
  switch (mode) {
    case "full":
      return "none";
    case "ask":
      return "required";
    case "on":
      return exec === undefined || (exec.listed && exec.ask !== "always") ? "normal" : "required";
  }
}

interface Gate {
  readonly path: string;
  readonly enabled: boolean | undefined;
  readonly senders: SenderList | undefined;
}

function gateOf({ enabled, allowFrom }: ElevatedSection, path: string, warn: (warning: string) => void): Gate {
  return { path, enabled, senders: allowFrom === undefined ? undefined : compileSenders(allowFrom, `${path}.allowFrom`, warn) };
}

/** Every refusal is a security event: somebody tried to leave a sandbox. */
function refusal({ agentId, mode, channel }: ElevatedRequest, authorization: Authorization): Denial {
  const why = authorization.allowed ? "it is not allowed here" : WHY[authorization.gate];
  return denial("policy.elevated-refused", `elevated mode is refused: ${why}; an operator can change \`${authorization.source}\``, {
    agentId,
    mode: mode ?? null,
    channel: channel ?? null,
    gate: authorization.allowed ? null : authorization.gate,
    source: authorization.source,
  });
}

const WHY = { enabled: "it is not switched on", allowFrom: "this sender is not listed" } as const;
