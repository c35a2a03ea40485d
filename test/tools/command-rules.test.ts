import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { ask, load, passing } from "./asking.ts";

const PITLANE = readFileSync(join(import.meta.dirname, "../../fixtures/policies/pitlane.json5"), "utf8");

function ruling(args: JsonObject): string {
  const { allowed, layers } = ask(load(PITLANE), "exec", { args });
  return allowed ? "allow" : (layers.at(-1)?.rule ?? "");
}

describe("a policy of one program", () => {
  test("loads without a warning and leaves five tools", () => {
    const settings = load(PITLANE);
    expect(settings.warnings).toEqual([]);
    expect([...passing(settings)].sort()).toEqual(["exec", "read", "skill", "web_fetch", "write"]);
  });

  test.each([
    ["pitlane", "allow"],
    ["pitlane fetch --gp 'Monte Carlo'", "allow"],
    ["PITLANE_WORKSPACE_ID=a PITLANE_CACHE_DIR=/tmp/c pitlane x", "allow"],
    ["pitlane a && pitlane b", "allow"],
    ["PATH=/tmp pitlane x", "it sets a variable that is not listed"],
    ["PITLANE_CACHE_DIR=$HOME pitlane x", "the command cannot be read with certainty"],
    ["PITLANE_CACHE_DIR=/tmp/c pitlane a; pitlane b", "variables are set in front of one command only"],
    ["PITLANE_WORKSPACE_ID=a", "the command cannot be read with certainty"],
    ["pitlane a; cat /etc/passwd", "the command does not begin as one that is listed"],
    ["pitlane a | sh", "the command does not begin as one that is listed"],
    ["pitlane $(id)", "the command cannot be read with certainty"],
    ["pitlane `id`", "the command cannot be read with certainty"],
    ["pitlane a > /etc/passwd", "the command cannot be read with certainty"],
    ["pitlane a\nid", "the command cannot be read with certainty"],
    ["./pitlane a", "the command does not begin as one that is listed"],
    ["/tmp/pitlane a", "the command does not begin as one that is listed"],
    ["env pitlane a", "the command does not begin as one that is listed"],
    ["'pitlane a'", "the command does not begin as one that is listed"],
    ["", "the command cannot be read with certainty"],
  ])("%j: %s", (command, expected) => {
    expect(ruling({ command })).toBe(expected);
  });

  test.each<[JsonObject, string]>([
    [{ argv: ["pitlane", "x; id"] }, "allow"],
    [{ argv: ["pitlane"], env: { PITLANE_CACHE_DIR: "/tmp" } }, "allow"],
    [{ argv: ["pitlane"], env: { CUSTOM: "1" } }, "it sets a variable that is not listed"],
    [{ argv: ["id"] }, "the command does not begin as one that is listed"],
    [{ argv: [] }, "`args.command` or `args.argv` must be given"],
    [{ argv: ["pitlane"], command: "id" }, "`args.command` or `args.argv` must be given"],
    [{ argv: ["pitlane", 1] }, "`args.command` or `args.argv` must be given"],
    [{}, "`args.command` or `args.argv` must be given"],
  ])("%j: %s", (args, expected) => {
    expect(ruling(args)).toBe(expected);
  });

  test("of several commands each needs a rule that knows every variable", () => {
    const commands = [{ prefix: ["git", "status"] }, { prefix: ["pitlane"], variables: ["CI"] }];
    const settings = load({ tools: { exec: { commands } } });
    const asked = (command: string, env: JsonObject = {}) => ask(settings, "exec", { args: { command, env } }).allowed;
    expect(asked("git status && pitlane x")).toBe(true);
    expect(asked("pitlane x", { CI: "1" })).toBe(true);
    expect(asked("git status && pitlane x", { CI: "1" })).toBe(false);
    expect(asked("git push")).toBe(false);
  });

  test("without such a rule a command is left to the exec policy", () => {
    expect(ask(load({}), "exec", { args: { command: "anything $(at all)" } }).allowed).toBe(true);
  });
});
