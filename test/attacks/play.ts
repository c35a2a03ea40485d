/** Which player plays a case: by its class where the class has a shape of its own, else by its kind. An unknown one is an error. */
import type { Attack } from "./attack.ts";
import type { Player } from "./player.ts";
import { playAudit } from "./players/audit.ts";
import { playBinding } from "./players/binding.ts";
import { playDeputy } from "./players/deputy.ts";
import { playDisplay } from "./players/display.ts";
import { playExec } from "./players/exec.ts";
import { playFs } from "./players/fs.ts";
import { playJudged } from "./players/judged.ts";
import { playSteps } from "./players/steps/steps.ts";
import { playStore } from "./players/store.ts";
import { playToctou } from "./players/toctou.ts";
import { playWire } from "./players/wire/wire.ts";
import type { Stage } from "./stage.ts";

const BY_KIND: Readonly<Record<string, Player>> = {
  evaluate: playJudged,
  argv: playJudged,
  env: playJudged,
  control: playJudged,
  toctou: playToctou,
  binding: playBinding,
  display: playDisplay,
  wire: playWire,
  fs: playFs,
  exec: playExec,
  store: playStore,
  audit: playAudit,
  lifecycle: playDeputy,
};

export function playerOf({ kind, given }: Attack): Player {
  if (given["steps"] !== undefined && kind !== "audit") return playSteps;
  const player = BY_KIND[kind];
  if (player === undefined) throw new Error(`nothing here plays the kind \`${kind}\``);
  return player;
}

export async function play(attack: Attack, stage: Stage): Promise<readonly string[]> {
  return playerOf(attack)(attack, stage.ground(attack), stage);
}

/** Changing a file's owner takes root, and so does becoming another user. */
export function needsRoot({ given }: Attack): boolean {
  return /"chown"|"asUser"/.test(JSON.stringify(given));
}
