import { expect, test } from "vitest";
import type { JsonValue } from "../../src/core/json.ts";
import { ENTRY_UNUSED_DAYS_MAX } from "../../src/core/limits.ts";
import { compileRegex } from "../../src/policy/arg-regex.ts";
import { lintAllowlist } from "../../src/policy/lint.ts";
import { documentOf } from "./judging.ts";
import { tableMachine } from "./table-machine.ts";

const DAY_MS = 24 * 3_600_000;
const NOW = 1000 * DAY_MS;
const DIGEST = "a".repeat(64);

function kinds(entry: JsonValue): readonly string[] {
  const { agents } = documentOf({ version: 1, agents: { main: { allowlist: [entry] } } });
  return lintAllowlist(agents.get("main")?.allowlist ?? [], tableMachine({ changeable: ["/home/u"] }), NOW, compileRegex).map(
    ({ kind }) => kind,
  );
}

test.each<[JsonValue, readonly string[]]>([
  ["/usr/bin/git", []],
  ["rg", []],
  ["*", ["anything"]],
  ["**", ["never-matches"]],
  ["/**", ["anything"]],
  ["**/*", ["anything"]],
  ["/bin/bash", ["shell"]],
  ["/usr/bin/zsh-5.9", ["shell"]],
  ["python3.12", ["interpreter"]],
  ["/opt/**/node", ["interpreter"]],
  ["/usr/bin/py*", ["interpreter"]],
  [{ pattern: "/usr/bin/python3", argPattern: "--version" }, []],
  [{ pattern: "/usr/bin/python3", argPattern: "[" }, ["never-matches"]],
  [{ pattern: "/usr/bin/python3", argPattern: `sha256:cwd-argv:v1:${DIGEST}` }, []],
  ["/usr/bin/xargs", ["interpreter"]],
  ["/usr/bin/sudo", ["carrier"]],
  ["~/bin/tool", ["writable"]],
  [{ pattern: "~/bin/tool", sha256: DIGEST }, []],
  ["/home/u/Projects/**/bin/rg", ["writable"]],
  ["~bob/bin/rg", ["never-matches"]],
  ["bin/rg", ["never-matches"]],
  ["/usr/bin/", ["never-matches"]],
  ["/usr/bin/../bin/rg", ["never-matches"]],
  [{ pattern: "/usr/bin/rg", expiresAt: NOW }, ["expired"]],
  [{ pattern: "/usr/bin/rg", lastUsedAt: NOW - ENTRY_UNUSED_DAYS_MAX * DAY_MS }, ["unused"]],
  [{ pattern: "/usr/bin/rg", lastUsedAt: NOW - ENTRY_UNUSED_DAYS_MAX * DAY_MS + 1 }, []],
])("%j: %j", (entry, expected) => {
  expect(kinds(entry)).toEqual(expected);
});
