import { expect, test } from "vitest";
import fixture from "../../fixtures/realistic-commands.json" with { type: "json" };
import { readShellText } from "../../src/analysis/shell-text.ts";

interface Row {
  readonly command: string;
  readonly refused?: string;
  readonly why?: string;
}
const rows: readonly Row[] = fixture.commands;

test("there are 150 of them, and at least 95 in 100 are analysed", () => {
  expect(rows.length).toBe(150);
  expect(rows.filter(({ refused }) => refused === undefined).length / rows.length).toBeGreaterThanOrEqual(0.95);
});

test.each(rows)("$command", ({ command, refused, why }) => {
  const read = readShellText(command);
  expect(read.ok ? undefined : read.failure.reason).toBe(refused);
  expect(refused === undefined || (why ?? "").length > 20).toBe(true);
});
