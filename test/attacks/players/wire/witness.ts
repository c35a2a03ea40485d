/** While somebody misbehaves, everybody else must not notice: a client that keeps asking, and the daemon's own size. */
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "../../../support/processes.ts";
import { openSession } from "../../../support/session.ts";
import type { Scene } from "../../stage.ts";

const ANSWER_WITHIN_MS = 1000;
const RESIDENT_BYTES_MAX = 150 * 1024 * 1024;

/** Does `work` and says what others noticed of it. */
export async function witnessed(
  { daemon }: Pick<Scene, "daemon">,
  work: () => Promise<readonly string[]>,
  residentBytesMax = RESIDENT_BYTES_MAX,
): Promise<readonly string[]> {
  const found: string[] = [];
  const bystander = await openSession(daemon, "gateway");
  const over = { is: false };
  const watching = (async () => {
    while (!over.is) {
      const begun = performance.now();
      const answer = await bystander.call("status");
      const tookMs = performance.now() - begun;
      if (!answer.ok) return void found.push(`a bystander was refused: ${answer.code}: ${answer.message}`);
      if (tookMs > ANSWER_WITHIN_MS) found.push(`a bystander waited ${Math.round(tookMs)} ms`);
      await sleep(20);
    }
  })();
  try {
    found.push(...(await work()));
    const begun = performance.now();
    const late = await openSession(daemon, "gateway");
    if (performance.now() - begun > ANSWER_WITHIN_MS) found.push(`a new client waited ${Math.round(performance.now() - begun)} ms`);
    late.close();
  } finally {
    over.is = true;
    await watching;
    bystander.close();
  }
  const most = memoryOf(daemon.process.pid ?? 0, "VmHWM");
  return most > residentBytesMax ? [...found, `the daemon took ${Math.round(most / 1024 / 1024)} MB`] : found;
}
