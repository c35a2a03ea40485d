/**
 * Loaded into a daemon with `NODE_OPTIONS=--import`: the wall clock as somebody else has set it. The file named by TEST_CLOCK_SHIFT_FILE
 * holds the milliseconds by which it is off; the monotonic clock is left alone, as settimeofday(2) leaves it.
 */
import { readFileSync } from "node:fs";

const file = process.env["TEST_CLOCK_SHIFT_FILE"] ?? "";
const real = Date.now.bind(Date);
Date.now = (): number => real() + shift();

function shift(): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}
