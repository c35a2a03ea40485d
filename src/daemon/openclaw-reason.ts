import type { Code } from "../core/codes.ts";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";

/**
 * OpenClaw's node host passes a handful of reasons on to its gateway and takes every other one for `approval-required`. So that people see
 * what was the matter, each of our codes is told as the nearest of those, and the code itself stands beside it.
 */
type Reason =
  | "security=deny"
  | "approval-required"
  | "allowlist-miss"
  | "execution-plan-miss"
  | "companion-unavailable"
  | "permission:screenRecording";

const BY_CODE: Readonly<Partial<Record<Code, Reason>>> = {
  "policy.tool-denied": "security=deny",
  "policy.security-deny": "security=deny",
  "policy.elevated-refused": "security=deny",
  "policy.allowlist-miss": "allowlist-miss",
  "policy.analysis-failed": "allowlist-miss",
  "env.forbidden": "allowlist-miss",
  "auth.forbidden": "security=deny",
};

const BY_LAYER: Readonly<Record<string, Reason>> = {
  approval: "approval-required",
  binding: "execution-plan-miss",
  env: "execution-plan-miss",
  exec: "execution-plan-miss",
  display: "execution-plan-miss",
};

export function reasonOf(code: Code): Reason {
  return BY_CODE[code] ?? BY_LAYER[code.split(".")[0] ?? ""] ?? "companion-unavailable";
}

export function refusedExec(id: string, why: Denial): JsonObject {
  return {
    type: "exec-res",
    id,
    ok: false,
    error: { code: why.code, message: `SYSTEM_RUN_DENIED: ${why.message}`, reason: reasonOf(why.code) },
  };
}

/** A frame that was not understood or not believed; the four checks of the protocol have reasons of their own. */
export function invalidExec(id: string, reason: "ttl" | "hmac" | "replay" | "json" | Reason, message: string): JsonObject {
  return { type: "exec-res", id, ok: false, error: { code: "INVALID_REQUEST", message, reason } };
}
