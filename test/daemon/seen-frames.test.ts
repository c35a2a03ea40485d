import { describe, expect, test } from "vitest";
import { OPENCLAW_CLOCK_MS, OPENCLAW_NONCES_MAX } from "../../src/core/limits.ts";
import { createSeenFrames } from "../../src/daemon/seen-frames.ts";

const START = 1_000_000;

describe("signed frames", () => {
  test.each([
    ["now", 0, true],
    ["as old as may be", -OPENCLAW_CLOCK_MS, true],
    ["older", -OPENCLAW_CLOCK_MS - 1, false],
    ["as far ahead as may be", OPENCLAW_CLOCK_MS, true],
    ["further ahead", OPENCLAW_CLOCK_MS + 1, false],
  ])("sent %s", (_, offset, timely) => {
    const nowMs = START + 60_000;
    expect(createSeenFrames(START).isTimely(nowMs + offset, nowMs)).toBe(timely);
  });

  test("from before the start are not timely, however young: an earlier daemon may have taken them", () => {
    const seen = createSeenFrames(START);
    expect(seen.isTimely(START - 1, START + 1)).toBe(false);
    expect(seen.isTimely(START, START + 1)).toBe(true);
  });

  test("are taken once", () => {
    const seen = createSeenFrames(START);
    expect(seen.take("n", START, START)).toBe("fresh");
    expect(seen.take("n", START, START + 1)).toBe("seen");
    expect(seen.take("n", START + 5, START + 5)).toBe("seen");
    expect(seen.take("m", START, START + 1)).toBe("fresh");
  });

  test("fill a bounded memory, which then takes no more until the oldest are over", () => {
    const seen = createSeenFrames(START);
    for (let at = 0; at < OPENCLAW_NONCES_MAX; at += 1) expect(seen.take(`n${at}`, START, START)).toBe("fresh");
    expect(seen.take("one more", START + 1, START + 1)).toBe("full");
    expect(seen.take("n0", START, START + 1)).toBe("seen");
    const later = START + OPENCLAW_CLOCK_MS + 1;
    expect(seen.take("one more", later, later)).toBe("fresh");
  });

  test("that were forgotten are not revived by a clock set back", () => {
    const seen = createSeenFrames(START, 1);
    seen.take("n", START, START);
    const later = START + OPENCLAW_CLOCK_MS + 1;
    expect(seen.take("m", later, later)).toBe("fresh");
    expect(seen.isTimely(START, START)).toBe(false);
    expect(seen.isTimely(later, later)).toBe(true);
  });
});
