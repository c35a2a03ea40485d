import type { Attack } from "./attack.ts";
import type { Ground } from "./ground.ts";
import type { Stage } from "./stage.ts";

/** Plays one case and says what is wrong with how it came out; an empty list means that it was survived. */
export type Player = (attack: Attack, ground: Ground, stage: Stage) => Promise<readonly string[]>;
