import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DiffLine, diffOf } from "../../../src/cli/watch/diff.ts";
import { DIFF_EDITS_MAX } from "../../../src/core/limits.ts";

const shown = (lines: readonly DiffLine[] | null): readonly string[] | undefined => lines?.map(({ sign, text }) => `${sign}${text}`);

describe("the difference between what was approved and what is asked about", () => {
  test.each([
    { name: "nothing", before: "a\nb\n", after: "a\nb\n", is: ["@2 unchanged lines"] },
    { name: "a line changed in the middle", before: "a\nb\nc\n", after: "a\nx\nc\n", is: [" a", "-b", "+x", " c"] },
    { name: "a line added at the end", before: "a\n", after: "a\nrm -rf /\n", is: [" a", "+rm -rf /"] },
    { name: "everything removed", before: "a\nb\n", after: "", is: ["-a", "-b"] },
    { name: "a missing line feed", before: "a\n", after: "a", is: ["-a", "+a (no line feed at the end)"] },
    {
      name: "what is far from a change is counted, not shown",
      before: "1\n2\n3\n4\n5\n6\n7\n",
      after: "1\n2\n3\n4\n5\n6\nseven\n",
      is: ["@4 unchanged lines", " 5", " 6", "-7", "+seven"],
    },
  ])("$name", ({ before, after, is }) => {
    expect(shown(diffOf(before, after))).toEqual(is);
  });

  test("when more lines differ than anybody reads, there is none", () => {
    const lines = (mark: string): string => Array.from({ length: DIFF_EDITS_MAX }, (_, index) => `${mark}${index}\n`).join("");
    expect(diffOf(lines("a"), lines("b"))).toBeNull();
    expect(diffOf("", lines("b"))).not.toBeNull();
  });

  test("the removed and the kept lines are the old file, the added and the kept ones the new, for any two files", () => {
    const file = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
    fc.assert(
      fc.property(file, file, (one, other) => {
        const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
        const lines = diffOf(text(one), text(other)) ?? [];
        const removed = lines.filter(({ sign }) => sign === "-").map((line) => line.text);
        const added = lines.filter(({ sign }) => sign === "+").map((line) => line.text);
        const skipped = lines.filter(({ sign }) => sign === "@").reduce((sum, line) => sum + Number.parseInt(line.text, 10), 0);
        const kept = lines.filter(({ sign }) => sign === " ").length + skipped;
        expect([kept + removed.length, kept + added.length]).toEqual([one.length, other.length]);
      }),
    );
  });
});
