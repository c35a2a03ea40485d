import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { knownTools } from "../../src/tools/known-tools.ts";
import { toolName } from "../../src/tools/tool-name.ts";

const KNOWN = knownTools(new Map());

function matches(pattern: string, tool: string): boolean {
  return KNOWN.compile([pattern]).find(toolName(tool)) !== null;
}

/** What a star means, in the plainest words: everything else stands for itself. */
function means(pattern: string, tool: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(tool);
}

describe("a pattern over tool names", () => {
  test.each([
    ["*", "", true],
    ["web_*", "web_", true],
    ["web_*", "WEB_search", true],
    ["*_send", "sessions_send", true],
    ["*test*", "my_test_tool", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*c", "a-c-b", false],
    ["a.c", "abc", false],
    ["fs:*", "fs:read", true],
    ["[a]", "a", false],
    ["r?ad", "read", false],
  ])("%s on %s: %s", (pattern, tool, expected) => {
    expect(matches(pattern, tool)).toBe(expected);
  });

  test("means the same as the regular expression it stands for", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "_", "."), maxLength: 8 });
    const tool = text.map((each) => each.replaceAll("*", "a"));
    fc.assert(
      fc.property(text, tool, (pattern, name) => {
        expect(matches(pattern, name)).toBe(means(pattern, name));
      }),
      { numRuns: 2000 },
    );
  });

  test("names the first entry that speaks for a tool, as it was written", () => {
    const list = KNOWN.compile(["GROUP:fs", "read", "exec"]);
    expect(list.find(toolName("read"))).toEqual({ written: "GROUP:fs", index: 0 });
    expect(list.find(toolName("bash"))).toEqual({ written: "exec", index: 2 });
  });

  test("takes no longer for a name that was made to be slow", () => {
    const list = KNOWN.compile([`${"a*".repeat(500)}b`]);
    const startedMs = performance.now();
    expect(list.find(toolName("a".repeat(5000)))).toBeNull();
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});
