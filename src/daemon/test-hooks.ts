/**
 * Two ways for tests to lead the daemon into a corner that chance reaches too rarely. Both come from the daemon's own environment, which no
 * caller can set, and neither can make anything run.
 */
export interface TestHooks {
  /** A file that is made once an approval was consumed; the run then waits to be killed before it starts. */
  readonly holdAfterConsumption: string | null;
}

export function takeTestHooks(environment: NodeJS.ProcessEnv): TestHooks {
  const hold = environment["COUNTERSIGN_TEST_HOLD_AFTER_CONSUMPTION"];
  const ballast = Number(environment["COUNTERSIGN_TEST_BALLAST_MB"] ?? "0");
  // Held for as long as the process lives, and touched, so that it is resident: what a large daemon costs can then be measured.
  if (ballast > 0) Object.defineProperty(globalThis, "ballast", { value: Buffer.alloc(ballast * 1024 * 1024, 1) });
  return { holdAfterConsumption: hold === undefined || hold === "" ? null : hold };
}
