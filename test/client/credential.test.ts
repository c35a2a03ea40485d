import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findDaemon } from "../../src/client/credential.ts";
import { locate } from "../../src/client/locate.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(() => scratch.remove());

function put(name: string, text: string): string {
  const path = join(scratch.path, name);
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

describe("the state directory is", () => {
  const cases: { name: string; given?: string; env: Record<string, string>; expected: string }[] = [
    { name: "what the flag says", given: "/a", env: { COUNTERSIGN_STATE_DIR: "/b" }, expected: "/a" },
    { name: "else $COUNTERSIGN_STATE_DIR", env: { COUNTERSIGN_STATE_DIR: "/b", XDG_STATE_HOME: "/c" }, expected: "/b" },
    { name: "else below $XDG_STATE_HOME", env: { XDG_STATE_HOME: "/c", HOME: "/h" }, expected: "/c/countersign" },
    { name: "else in the home, when XDG's is relative", env: { XDG_STATE_HOME: "c", HOME: "/h" }, expected: "/h/.local/state/countersign" },
    {
      name: "else in the home, when variables are empty",
      env: { COUNTERSIGN_STATE_DIR: "", HOME: "/h" },
      expected: "/h/.local/state/countersign",
    },
  ];
  test.each(cases)("$name", ({ given, env, expected }) => {
    expect(locate({ stateDir: given }, env).stateDir).toBe(expected);
  });
});

describe("a credential is taken", () => {
  function find(
    role: "gateway" | "operator",
    tokenFile?: string,
    more: Record<string, string> = {},
  ): { token?: string; source?: string; socketPath: string } {
    const env = { HOME: scratch.path, COUNTERSIGN_STATE_DIR: join(scratch.path, "state"), ...more };
    const { credential, socketPath } = findDaemon(locate({}, env), role, tokenFile, env);
    return { ...credential, socketPath };
  }

  test("from the file that the flag names, before all others", () => {
    const named = put("named", "one");
    put(".config/countersign/operator.token", "three");
    expect(find("operator", named, { COUNTERSIGN_TOKEN_FILE: put("env", "two") }).token).toBe("one");
  });

  test("else from $COUNTERSIGN_TOKEN_FILE", () => {
    put(".config/countersign/operator.token", "three");
    expect(find("operator", undefined, { COUNTERSIGN_TOKEN_FILE: put("env", "two") }).token).toBe("two");
  });

  test("else from the home, by role", () => {
    put(".config/countersign/operator.token", "three");
    put("state/operator.token", "four");
    expect(find("operator").token).toBe("three");
  });

  test("else from the state directory: the operator's file, the gateway's document", () => {
    put("state/operator.token", "four\n");
    put("state/exec-approvals.json", JSON.stringify({ version: 1, socket: { path: "~/s.sock", token: "five" } }));
    expect(find("operator").token).toBe("four");
    expect(find("gateway")).toEqual({
      token: "five",
      source: join(scratch.path, "state/exec-approvals.json"),
      socketPath: join(scratch.path, "s.sock"),
    });
  });

  test("from nowhere when there is none, and the socket is where it would be", () => {
    expect(find("gateway")).toEqual({ socketPath: join(scratch.path, "state/exec-approvals.sock") });
  });

  test("not from a broken document", () => {
    put("state/exec-approvals.json", "{");
    expect(find("gateway").token).toBeUndefined();
  });
});
