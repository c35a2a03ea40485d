import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { loadNative } from "../src/native/libc.ts";

const TRIALS = 2;
/** `make trees` holds them to the two seconds that are promised; here other tests run beside it. */
const WITHIN_MS = 8_000;
const RUN = join(import.meta.dirname, "../build/test/trees/run.js");

async function played(native: "on" | "off"): Promise<unknown> {
  const ended = await promisify(execFile)(process.execPath, [
    RUN,
    String(TRIALS),
    "--json",
    `--native=${native}`,
    ...(native === "on" ? [`--within=${WITHIN_MS}`] : []),
  ]).catch((error: unknown) =>
    error instanceof Error && "stdout" in error ? { stdout: String(error.stdout), stderr: error.message } : Promise.reject(error),
  );
  if (ended.stdout === "") throw new Error(`the trial did not come to its end: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

test.runIf(loadNative() !== null)(
  "after a timeout, a cancel, a close and a SIGTERM none of sixty daemonising grandchildren is left (needs koffi)",
  async () => {
    expect(await played("on")).toMatchObject({ complaints: [] });
  },
  5 * 60_000,
);

test(
  "without native code whoever of them is left is named in the answer",
  async () => {
    expect(await played("off")).toMatchObject({ complaints: [] });
  },
  5 * 60_000,
);
