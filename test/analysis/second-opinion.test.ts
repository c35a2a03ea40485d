import { expect, test } from "vitest";
import { secondOpinionAgrees } from "../../src/analysis/second-opinion.ts";

test("agreement needs the same words and the same operators", () => {
  expect(
    secondOpinionAgrees("ls -l | wc", [
      { argv: ["ls", "-l"], operator: "|" },
      { argv: ["wc"], operator: null },
    ]),
  ).toBe(true);
  expect(secondOpinionAgrees("ls -l | wc", [{ argv: ["ls", "-l", "|", "wc"], operator: null }])).toBe(false);
  expect(secondOpinionAgrees("ls -l", [{ argv: ["ls -l"], operator: null }])).toBe(false);
});

test("a variable or a pattern that it sees is a disagreement", () => {
  expect(secondOpinionAgrees("ls $HOME", [{ argv: ["ls", "$HOME"], operator: null }])).toBe(false);
  expect(secondOpinionAgrees("ls *", [{ argv: ["ls", "*"], operator: null }])).toBe(false);
});

test("what it cannot read without throwing is a disagreement", () => {
  expect(secondOpinionAgrees("ls ${", [{ argv: ["ls", "${"], operator: null }])).toBe(false);
});

test("where it is known to be wrong it is not asked", () => {
  expect(secondOpinionAgrees("ls \\*", [{ argv: ["ls", "*"], operator: null }])).toBe(true);
});
