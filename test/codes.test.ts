import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CODES, isCode } from "../src/core/codes.ts";
import { type Bench, openBench } from "./codes/bench.ts";
import { PROVOCATIONS } from "./codes/provocations.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());

describe("over a real socket", () => {
  for (const code of Object.keys(CODES).filter(isCode)) {
    const provoke = PROVOCATIONS[code];
    if (typeof provoke === "function") {
      test.concurrent(`${code} is what a client hears`, async () => {
        expect(await provoke(bench)).toBe(code);
      });
    } else {
      test(`${code} cannot be provoked: ${provoke.cannot}`, () => {
        expect(provoke.cannot).not.toBe("");
      });
    }
  }
});
