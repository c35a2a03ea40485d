import type { Credentials } from "../auth/caller.ts";
import type { Consume } from "./consume.ts";
import type { World } from "./world.ts";

export interface OpenclawParts {
  readonly world: World;
  readonly consume: Consume;
  /** Asked at every frame, so that a rotated token holds at once. */
  credentials(): Credentials;
  /** By the wall clock, as the frames' own times are. */
  readonly startedAtMs: number;
  wallMs(): number;
  /** `openclaw.trustForwardedDecisions`. */
  trustForwarded(): boolean;
}
