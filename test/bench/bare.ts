/** Bare `child_process.spawn` in a process of its own: `{ "launches", "inFlight" }` in, how long each took and all together out. */
import { spawn } from "node:child_process";
import { isJsonObject } from "../../src/core/json.ts";

const ballastMb = Number(process.env["COUNTERSIGN_TEST_BALLAST_MB"] ?? "0");
// Written to, so that it is resident: fork(2) has to copy the page tables of it.
const ballast = Buffer.alloc(ballastMb * 1024 * 1024, 1);

function launch(argv: readonly string[]): Promise<number> {
  const [command = "", ...rest] = argv;
  const begun = performance.now();
  return new Promise((settle, reject) => {
    // As the daemon does it: nothing to read, both outputs taken.
    const child = spawn(command, rest, { stdio: ["ignore", "pipe", "pipe"], cwd: "/" });
    child.once("error", reject);
    child.once("close", () => settle(performance.now() - begun));
    child.stdout.resume();
    child.stderr.resume();
  });
}

process.on("message", (message) => {
  if (!isJsonObject(message)) return;
  const { launches, inFlight, argv } = message;
  const words = Array.isArray(argv) ? argv.map(String) : [];
  const begun = performance.now();
  const each: number[] = [];
  const worker = async (): Promise<void> => {
    while (each.length + running < Number(launches)) {
      running += 1;
      const tookMs = await launch(words);
      running -= 1;
      each.push(tookMs);
    }
  };
  let running = 0;
  void Promise.all(Array.from({ length: Number(inFlight) }, worker)).then(() => {
    process.send?.({ each, elapsedMs: performance.now() - begun, ballast: ballast.length });
  });
});
