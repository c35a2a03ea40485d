/** `countersign demo`: plays the story against a real daemon and ends with 0 only if every scene went as claimed. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Approval } from "../../client/client.ts";
import { DEMO_PAUSE_MS } from "../../core/limits.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { screenOf } from "../pending.ts";
import { approvalLines } from "../render-approval.ts";
import { tell } from "../tell.ts";
import { createCompany } from "./company.ts";
import { crashScene, LOG_VERIFIES, ONE_BYTE_IS_FOUND } from "./crash.ts";
import { sceneLines } from "./render-scene.ts";
import { NotAsClaimed, type Players, type Scene, type Shown } from "./scene.ts";
import { buildStage, type Stage } from "./stage.ts";
import { CHEATS, openingScenes, RACE } from "./story.ts";

interface Played {
  readonly title: string;
  readonly ok: boolean;
  readonly shown: Shown;
  readonly durationMs: number;
}

export async function run(call: CommandCall): Promise<number> {
  const startedAtMs = performance.now();
  const stage = buildStage();
  const removeOnExit = (): void => stage.remove();
  process.once("exit", removeOnExit);
  if (!call.has("json")) {
    tell(call.io, `a real daemon and a project of its own, in ${stage.root}; nothing else is touched`);
  }
  const played = await playAll(call, stage).finally(() => {
    stage.remove();
    process.removeListener("exit", removeOnExit);
  });
  return summary(call, played, Math.round(performance.now() - startedAtMs));
}

async function playAll(call: CommandCall, stage: Stage): Promise<readonly Played[]> {
  const company = createCompany(stage);
  const played: Played[] = [];
  const play = async (scene: Scene): Promise<void> => {
    call.io.signal.throwIfAborted();
    const beganAtMs = performance.now();
    const outcome = await outcomeOf(scene, company.players());
    played.push({ title: scene.title, ...outcome, durationMs: Math.round(performance.now() - beganAtMs) });
    await present(call, played.length, played.at(-1));
  };
  const asOperatorSees = (approval: Approval, { operator }: Players): readonly string[] =>
    approvalLines(approval, { ...screenOf(call.io, operator), columns: call.io.columns() - 2 });
  try {
    await company.start({ holdAfterConsumption: false });
    for (const scene of [...openingScenes(asOperatorSees), ...CHEATS, RACE]) await play(scene);
    // The one that will be killed holds still at the worst instant, which it has to be told when it starts.
    await company.stop();
    await company.start({ holdAfterConsumption: true });
    await play(crashScene(() => company.start({ holdAfterConsumption: false })));
    await play(LOG_VERIFIES);
    await company.stop();
    await play(ONE_BYTE_IS_FOUND);
    return played;
  } finally {
    await company.kill();
  }
}

async function outcomeOf(scene: Scene, players: Players): Promise<{ readonly ok: boolean; readonly shown: Shown }> {
  try {
    return { ok: true, shown: await scene.play(players) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, shown: { says: error instanceof NotAsClaimed ? error.message : `it broke: ${error.message}` } };
  }
}

async function present(call: CommandCall, number: number, played: Played | undefined): Promise<void> {
  const { io } = call;
  if (call.has("json") || played === undefined) return;
  for (const line of sceneLines(number, played, painter(io.colour), io.columns())) io.out(line);
  // On a terminal somebody reads along.
  if (io.stdout.isTTY && !call.has("fast")) await sleep(DEMO_PAUSE_MS, undefined, { signal: io.signal });
}

function summary(call: CommandCall, played: readonly Played[], elapsedMs: number): number {
  const { io } = call;
  const failed = played.filter(({ ok }) => !ok).length;
  if (call.has("json")) {
    io.out(JSON.stringify({ ok: failed === 0, elapsedMs, scenes: played.map(playedJson) }));
  } else {
    const paint = painter(io.colour);
    const verdict =
      failed === 0 ? paint.green("everything went as claimed") : paint.red(`${failed} of ${played.length} did not go as claimed`);
    io.out("");
    tell(io, `${verdict}, in ${(elapsedMs / 1000).toFixed(1)} s; the directory is gone again`);
  }
  return failed === 0 ? EXIT.ok : EXIT.general;
}

function playedJson({ title, ok, shown, durationMs }: Played): object {
  const { says, code, field, approved, found } = shown;
  return { title, ok, says, code, field, approved, found, durationMs };
}
