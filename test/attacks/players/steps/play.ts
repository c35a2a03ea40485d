/**
 * What the steps of a case share. Beside the daemon the player keeps its own idea of every approval, made from the protocol page alone: a
 * run may go ahead only where that idea says so, whatever the daemon's opinion is.
 */
import type { JsonObject } from "../../../../src/core/json.ts";
import { type Attack, shown } from "../../attack.ts";
import type { Ground } from "../../ground.ts";
import type { Outcome } from "../../outcome.ts";
import type { Scene, Stage } from "../../stage.ts";

export interface Asked {
  readonly id: string;
  readonly requestKey: string | null;
  readonly params: JsonObject & { readonly argv: readonly string[]; readonly agentId: string };
  state: "pending" | "allowed" | "denied" | "expired" | "consumed" | "cancelled";
  /** The answer it was given, which may be given again. */
  decision: string | null;
  /** On the monotonic clock: until then it can be answered, and once it was allowed, used. */
  untilMs: number;
}

const APPROVAL_TIMEOUT_DEFAULT_MS = 120_000;
const GRACE_MS = 15_000;

export function askedNow(id: string, requestKey: string | null, params: Asked["params"], timeoutMs = APPROVAL_TIMEOUT_DEFAULT_MS): Asked {
  return { id, requestKey, params, state: "pending", decision: null, untilMs: performance.now() + timeoutMs };
}

export function decide(asked: Asked, state: Asked["state"], decision: string): void {
  asked.state = state;
  asked.decision = decision;
  if (state === "allowed") asked.untilMs = Math.max(asked.untilMs, performance.now() + GRACE_MS);
}

/** Time alone makes this of what was not used. */
export function letTimePass({ asked }: Pick<Play, "asked">): void {
  for (const one of asked)
    if ((one.state === "pending" || one.state === "allowed") && performance.now() > one.untilMs) one.state = "expired";
}

export interface Play {
  readonly attack: Attack;
  readonly ground: Ground;
  readonly stage: Stage;
  scene: Scene;
  readonly agentId: string;
  readonly asked: Asked[];
  readonly found: string[];
  /** How the last run, or without one the last request, came out. */
  last: Outcome | null;
  /** Whether something that leaves the marker was rightly allowed to run. */
  mayBeMarked: boolean;
  /** A request that arrives while the step before it is being answered. */
  arriving: JsonObject | null;
}

export type Step = (play: Play, step: JsonObject) => Promise<void>;

export function latest(play: Play): Asked | null {
  return play.asked.at(-1) ?? null;
}

/** The states that the daemon tells must be the ones that the steps have earned. */
export async function checkStates(play: Play): Promise<void> {
  for (const asked of play.asked) {
    const got = await play.scene.operator.call("exec.approval.get", { id: asked.id });
    const state = got.ok ? got.result["state"] : got.code;
    if (state !== asked.state) play.found.push(`approval ${asked.id} is ${shown(state)} and should be ${asked.state}`);
  }
}
