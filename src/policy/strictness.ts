import type { EffectivePolicy, Sourced } from "./effective.ts";
import type { Ask, AskFallback, ExecSettings, Security } from "./exec-settings.ts";

/** Several places may speak about the same thing. The strictest one holds, so that no place can loosen what another tightened. */

const SECURITY_ORDER: Readonly<Record<Security, number>> = { deny: 0, allowlist: 1, full: 2 };
const ASK_ORDER: Readonly<Record<Ask, number>> = { always: 0, "on-miss": 1, off: 2 };

/** The request's own wishes, which can only tighten. */
export interface Requested {
  readonly security: Security | null;
  readonly ask: Ask | null;
}

export interface Voices {
  readonly policy: EffectivePolicy;
  readonly settings: Pick<ExecSettings, "security" | "ask" | "askFallback">;
  readonly requested: Requested;
}

export function securityOf({ policy, settings, requested }: Voices): Sourced<Security> {
  const others = [sourced(settings.security, "tools.exec.security"), sourced(requested.security, "request.security")];
  return strictest(policy.security, others, SECURITY_ORDER);
}

export function askOf({ policy, settings, requested }: Voices): Sourced<Ask> {
  return strictest(policy.ask, [sourced(settings.ask, "tools.exec.ask"), sourced(requested.ask, "request.ask")], ASK_ORDER);
}

/** What silence means, and never more than the security allows. */
export function askFallbackOf(voices: Voices): Sourced<AskFallback> {
  const { policy, settings } = voices;
  return strictest(policy.askFallback, [sourced(settings.askFallback, "tools.exec.askFallback"), securityOf(voices)], SECURITY_ORDER);
}

export function stricterSecurity(a: Security, b: Security): Security {
  return SECURITY_ORDER[a] <= SECURITY_ORDER[b] ? a : b;
}

export function moreAsking(a: Ask, b: Ask): Ask {
  return ASK_ORDER[a] <= ASK_ORDER[b] ? a : b;
}

function sourced<Value>(value: Value | null | undefined, source: string): Sourced<Value> | null {
  return value === null || value === undefined ? null : { value, source };
}

/** On a tie the earlier one is named: the document before the settings, and both before the request. */
function strictest<Value extends string>(
  first: Sourced<Value>,
  others: readonly (Sourced<Value> | null)[],
  order: Readonly<Record<Value, number>>,
): Sourced<Value> {
  let held = first;
  for (const other of others) if (other !== null && order[other.value] < order[held.value]) held = other;
  return held;
}
