import { expect, test } from "vitest";
import { ESCAPED_NAMED_MAX } from "../../src/core/limits.ts";
import { namedOf } from "../../src/exec/escaped.ts";

test("of a flood of escaped processes as many are named as a record can hold", () => {
  const flood = Array.from({ length: ESCAPED_NAMED_MAX + 1 }, (_, pid) => ({ pid, name: "x" }));
  expect(namedOf(flood)).toHaveLength(ESCAPED_NAMED_MAX);
  expect(namedOf(flood.slice(0, 2))).toEqual([
    { pid: 0, name: "x" },
    { pid: 1, name: "x" },
  ]);
});
