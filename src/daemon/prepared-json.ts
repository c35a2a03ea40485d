import type { Segment } from "../analysis/command-plan.ts";
import type { JsonObject } from "../core/json.ts";
import { decisionJson } from "./decision-json.ts";
import type { Prepared } from "./prepare.ts";

/** A prepared command as clients see it: protocol section 5. Override names go out, their values do not. */
export function preparedJson(prepared: Prepared, enforcement: string, allowedDecisions: readonly string[]): JsonObject {
  return {
    plan: planJson(prepared),
    binding: prepared.binding,
    display: displayJson(prepared),
    decision: decisionJson(prepared, allowedDecisions),
    enforcement,
  };
}

export function planJson(prepared: Prepared): JsonObject {
  const { parts, plan, overrideNames } = prepared;
  return {
    argv: parts.argv,
    cwd: parts.cwd,
    envHash: parts.envHash,
    envKeys: overrideNames,
    agentId: parts.agentId,
    sessionKey: parts.sessionKey,
    executable: { path: parts.executable.path, sha256: parts.executable.sha256 },
    files: parts.files.map(({ argvIndex, path, sha256 }) => ({ argvIndex, path, sha256 })),
    nested: parts.nested.map(({ path, sha256 }) => ({ path, sha256 })),
    stdin: { bytes: parts.stdin.bytes, sha256: parts.stdin.sha256 },
    unbound: plan.unbound,
    segments: plan.analysis.ok ? plan.analysis.segments.map(segmentJson) : [],
  };
}

export function displayJson(prepared: Prepared): JsonObject {
  const { command, words, warnings } = prepared.display;
  return { command, words, warnings };
}

function segmentJson(segment: Segment): JsonObject {
  return { argv: segment.argv, executable: segment.program?.realPath ?? null, operator: segment.operator, cwd: segment.cwd };
}
