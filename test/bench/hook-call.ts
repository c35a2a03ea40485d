/** What an agent waits for before each of its tool calls: a hook that asks a daemon which is there, and is told that nobody has to be asked. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../../src/core/json.ts";
import { startTestDaemon } from "../support/daemon.ts";
import { MAIN } from "../support/program.ts";
import { atMost, type Finding, median } from "./numbers.ts";

const ROUNDS = 9;
/** From `build/test/bench`. */
const SAMPLES = join(import.meta.dirname, "../../../fixtures/hooks/claude-code.json");

export async function measureHookCall(): Promise<Finding> {
  const daemon = await startTestDaemon({ document: { version: 1, agents: { "*": { allowlist: ["/usr/bin/true"] } } } });
  const input = JSON.stringify(payload(daemon.home));
  const hook = (): void => {
    const words = [MAIN, "hook", "claude-code", "--state-dir", daemon.stateDir];
    const { status, stderr } = spawnSync(process.execPath, words, { input, cwd: daemon.home, encoding: "utf8" });
    if (status !== 0 || stderr !== "") throw new Error(`the hook ended with ${status}: ${stderr}`);
  };
  const ratios: number[] = [];
  const tookMs: number[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const node = timed(() => void spawnSync(process.execPath, ["-e", "0"]));
      const hooked = timed(hook);
      // The first one reads the program from the disk.
      if (round === 0) continue;
      ratios.push(hooked / node);
      tookMs.push(hooked);
    }
  } finally {
    await daemon.stop();
  }
  return atMost("a warm hook call ÷ `node -e 0`", median(ratios), 2.5, "×", `${median(tookMs).toFixed(0)} ms`);
}

function timed(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function payload(cwd: string): object {
  const samples: unknown = JSON.parse(readFileSync(SAMPLES, "utf8"));
  const shell = isJsonObject(samples) ? samples["shell"] : undefined;
  if (!isJsonObject(shell)) throw new Error("there is no sample of a shell call");
  return { ...shell, cwd, tool_input: { command: "true" } };
}
