/** Cases told as a story: asked, answered, run, restarted. Step names are plain words; here they become methods of the protocol. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "../../../../src/core/json.ts";
import { type Attack, objects, text } from "../../attack.ts";
import { complaints } from "../../outcome.ts";
import { filled } from "../../placeholders.ts";
import type { Player } from "../../player.ts";
import type { Scene, Stage } from "../../stage.ts";
import { list, request, wait } from "./asking.ts";
import { approveAll, cancel, resolve } from "./deciding.ts";
import { checkStates, latest, type Play, type Step } from "./play.ts";
import { HOLD_AFTER_CONSUMPTION, holdFile, run } from "./running.ts";
import {
  clockFile,
  dequeueRun,
  enqueueRun,
  grant,
  operatorLeaves,
  operatorReturns,
  pause,
  requesterLeaves,
  restart,
  revoke,
  rotate,
  setClock,
  status,
} from "./surroundings.ts";

/** A step, and the members it reads: one that it does not know could be the point of the case. */
const STEPS: Readonly<Record<string, readonly [Step, ...string[]]>> = {
  request: [request, "argv", "id", "timeoutMs", "agent", "arrives", "count", "times"],
  flood: [request, "argv", "agent", "count", "times"],
  resolve: [resolve, "id", "decision", "concurrentWith", "role", "approver"],
  run: [run, "argv", "agent", "killDaemonAt", "withinMs", "concurrent", "parallel", "count", "times"],
  list: [list],
  wait: [wait, "id"],
  waitDecision: [wait, "id"],
  cancel: [cancel, "id"],
  approveAll: [approveAll, "shown"],
  status: [status],
  restart: [restart],
  setClock: [setClock, "deltaMs"],
  sleep: [pause, "ms"],
  uiDisconnect: [operatorLeaves],
  uiReconnect: [operatorReturns],
  disconnect: [requesterLeaves],
  rotate: [rotate],
  rotateToken: [rotate],
  grant: [grant],
  enqueueRun: [enqueueRun],
  revoke: [revoke],
  dequeueRun: [dequeueRun],
};

function stepOf(raw: JsonObject): Step {
  const known = STEPS[text(raw["op"])];
  if (known === undefined) throw new Error(`nothing here plays the step \`${text(raw["op"])}\``);
  const [perform, ...members] = known;
  const unknown = Object.keys(raw).filter((name) => name !== "op" && !members.includes(name));
  if (unknown.length > 0) throw new Error(`\`${text(raw["op"])}\` does not read \`${unknown.join("`, `")}\``);
  return perform;
}

/** These touch nobody but their own approvals, so they can be played beside others. */
const SHAREABLE = new Set(["request", "resolve", "run", "list", "wait", "waitDecision", "cancel", "approveAll", "status"]);
const NO_ROUTE_WITHIN_MS = 100;

export const playSteps: Player = async (attack, ground, stage) => {
  const steps = objects(attack.given["steps"]);
  const scene = await sceneFor(attack, steps, stage);
  // Where nobody is ever asked there is no approval to tell a story about: then it is told of an agent of the host's own policy.
  const asks = steps.some((step) => step["op"] === "request") && attack.family === "control";
  const agentId = asks ? `case-${attack.id}` : stage.agentOf(attack);
  const play: Play = { attack, ground, stage, scene, agentId, asked: [], found: [], last: null, mayBeMarked: false, arriving: null };
  for (const [index, raw] of steps.entries()) {
    const perform = stepOf(raw);
    const next = steps[index + 1];
    if (raw["arrives"] === "during") continue;
    const names = { ...ground.names, ID: () => latest(play)?.id ?? "", STATE: play.scene.daemon.stateDir };
    play.arriving = next?.["arrives"] === "during" ? filled(next, names) : null;
    if (attack.given["approvers"] === 0) await checkHaste(play, () => perform(play, filled(raw, names)));
    else await perform(play, filled(raw, names));
  }
  await checkStates(play);
  if (ground.marked() && !play.mayBeMarked && attack.expect.decisions?.includes("allow") !== true)
    play.found.push("the marker is there, and nobody allowed it");
  return [...play.found, ...(play.last === null ? [] : complaints(attack, play.last, ground))];
};

async function sceneFor(attack: Attack, steps: readonly JsonObject[], stage: Stage): Promise<Scene> {
  const { approvers } = attack.given;
  const known = new Set(["steps", "policy", "approvers"]);
  const unknown = Object.keys(attack.given).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`nothing here plays \`${unknown.join("`, `")}\``);
  const alone = steps.some((step) => !SHAREABLE.has(text(step["op"])) || step["killDaemonAt"] !== undefined);
  if (!alone && approvers === undefined) return stage.shared();
  const hold = steps.some((step) => step["killDaemonAt"] !== undefined) ? { [HOLD_AFTER_CONSUMPTION]: holdFile({ stage, attack }) } : {};
  const clock = { TEST_CLOCK_SHIFT_FILE: clockFile({ stage, attack }), NODE_OPTIONS: `--import=${shiftedClock()}` };
  const shifted = steps.some((step) => step["op"] === "setClock") ? clock : {};
  return stage.own(attack, { attended: approvers !== 0, env: { ...hold, ...shifted } });
}

/** A daemon cannot load TypeScript, so it gets the compiled file. */
function shiftedClock(): string {
  return pathToFileURL(join(import.meta.dirname, "../../../..", "build/test/support/shifted-clock.js")).href;
}

/** The quickest of a few: a machine that is busy elsewhere is not the daemon's doing. */
async function checkHaste(play: Play, perform: () => Promise<void>): Promise<void> {
  const took: number[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const begun = performance.now();
    await perform();
    took.push(performance.now() - begun);
  }
  const quickest = Math.min(...took);
  if (quickest > NO_ROUTE_WITHIN_MS) play.found.push(`nobody was there, and it took ${Math.round(quickest)} ms to say so`);
  if (play.asked.some(({ state }) => state !== "expired")) play.found.push("nobody was there, and it waits all the same");
}
