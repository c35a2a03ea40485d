import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { loadNative } from "../src/native/libc.ts";

const LAUNCHES = 200;
const RUN = join(import.meta.dirname, "../build/test/race/run.js");

/** Compiled and in a process of its own, because it becomes another user when it is started as root. */
test.runIf(loadNative() !== null)(
  `under every attack none of ${LAUNCHES} sealed launches runs what nobody approved, and a checker by path loses (needs koffi)`,
  async () => {
    const ended = await promisify(execFile)(process.execPath, [RUN, String(LAUNCHES), "--json", "--levels=baseline,sealed"], {
      maxBuffer: 1024 * 1024,
    }).catch((error: unknown) => (error instanceof Error && "stdout" in error ? { stdout: String(error.stdout) } : Promise.reject(error)));
    const report: unknown = JSON.parse(ended.stdout);
    expect(report).toMatchObject({ complaints: [] });
  },
  8 * 60_000,
);
