import { expect, test } from "vitest";
import { POLICY_WARNINGS_MAX } from "../../src/core/limits.ts";
import { distinctWarnings, WarningMemory } from "../../src/tools/warnings.ts";

test("a warning is news once, and again only after 256 others", () => {
  const memory = new WarningMemory();
  expect(memory.isNews("first")).toBe(true);
  expect(memory.isNews("first")).toBe(false);
  for (let index = 0; index < POLICY_WARNINGS_MAX - 1; index += 1) expect(memory.isNews(`other ${index}`)).toBe(true);
  expect(memory.isNews("first")).toBe(false);
  for (let index = 0; index < POLICY_WARNINGS_MAX; index += 1) memory.isNews(`another ${index}`);
  expect(memory.isNews("first")).toBe(true);
});

test("a policy's warnings are distinct and bounded", () => {
  expect(distinctWarnings(["a", "b", "a"])).toEqual(["a", "b"]);
  expect(distinctWarnings(Array.from({ length: 1000 }, (_, index) => `w${index}`))).toHaveLength(POLICY_WARNINGS_MAX);
});
