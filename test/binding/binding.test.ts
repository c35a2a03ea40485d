import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type BoundParts, bindingOf } from "../../src/binding/binding.ts";
import { envHashOf, toEnvironment } from "../../src/core/environment.ts";

interface Golden {
  readonly env: readonly { readonly env: Record<string, string>; readonly envHash: string }[];
  readonly plans: readonly { readonly plan: BoundParts; readonly binding: string }[];
}
const golden: Golden = JSON.parse(readFileSync(join(import.meta.dirname, "../../fixtures/vectors/binding-golden.json"), "utf8"));

test.each(golden.env)("environment $envHash is hashed byte for byte", ({ env, envHash }) => {
  expect(envHashOf(toEnvironment(Object.entries(env)))).toBe(envHash);
});

test.each(golden.plans)("plan $binding is bound byte for byte", ({ plan, binding }) => {
  expect(bindingOf(plan)).toBe(binding);
});

test("the golden file was not empty", () => {
  expect(golden.env.length).toBeGreaterThan(3);
  expect(golden.plans.length).toBeGreaterThan(3);
});
