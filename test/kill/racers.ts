/** Client processes that are let go at the same instant. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isJsonObject } from "../../src/core/json.ts";
import type { RacerReport, RacerTask } from "./racer.ts";

/** Compiled, because a process of its own cannot load TypeScript. */
const BUILT = join(import.meta.dirname, "../../build/test/kill/racer.js");
const RACER = existsSync(BUILT) ? BUILT : join(import.meta.dirname, "racer.js");

export async function raceAll(tasks: readonly RacerTask[]): Promise<readonly RacerReport[]> {
  const racers = await Promise.all(
    tasks.map(async (task) => {
      const child = spawn(process.execPath, [RACER], { stdio: ["pipe", "pipe", "inherit"] });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      child.stdin.write(`${JSON.stringify(task)}\n`);
      await lines.next();
      return { child, lines };
    }),
  );
  for (const { child } of racers) child.stdin.write("go\n");
  return Promise.all(
    racers.map(async ({ child, lines }) => {
      const { value } = await lines.next();
      child.stdin.end();
      if (child.exitCode === null) await once(child, "close");
      const report: unknown = JSON.parse(String(value));
      if (!isReport(report)) throw new Error(`not a report: ${String(value)}`);
      return report;
    }),
  );
}

function isReport(value: unknown): value is RacerReport {
  return isJsonObject(value) && Array.isArray(value["ran"]) && isJsonObject(value["refused"]);
}
