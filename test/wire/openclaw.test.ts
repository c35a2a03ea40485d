import { describe, expect, test } from "vitest";
import { METHODS } from "../../src/wire/methods.ts";
import { parseAsked, parseExecRequest } from "../../src/wire/openclaw.ts";

const exec = (more: object): string => JSON.stringify({ command: ["/bin/echo", "hi"], ...more });

describe("an exec of OpenClaw's dialect", () => {
  test("is read by the native protocol's own parser", () => {
    const shared = { cwd: "/srv/x", env: { LANG: "C" }, timeoutMs: 1000, agentId: "main", sessionKey: "agent:main:main" };
    const dialect = parseExecRequest(exec(shared));
    const native = METHODS["system.run"].parse({ argv: ["/bin/echo", "hi"], ...shared });
    if (!dialect.ok || !native.ok) throw new Error("both are well formed");
    expect(dialect.value.run).toEqual(native.value.params);
  });

  test("takes null for absent and lets unknown members through", () => {
    const nulls = {
      rawCommand: null,
      cwd: null,
      env: null,
      timeoutMs: null,
      needsScreenRecording: null,
      agentId: null,
      sessionKey: null,
      approvalDecision: null,
      approvalSource: null,
      policySnapshot: null,
      approvalToken: null,
      binding: null,
    };
    const bare = parseExecRequest(exec({}));
    expect(bare.ok).toBe(true);
    expect(parseExecRequest(exec(nulls))).toEqual(bare);
    expect(parseExecRequest(exec({ policySnapshot: { security: "full" }, somethingNew: [1] }))).toEqual(bare);
  });

  test.each([
    ["text that is no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["no command", "{}"],
    ["a command that is text", '{"command":"ls"}'],
    ["an empty command", '{"command":[]}'],
    ["a word that is a number", '{"command":["kill",1]}'],
    ["a word with NUL", exec({ command: ["ls", "a\0b"] })],
    ["a key that appears twice", '{"command":["ls"],"command":["rm"]}'],
    ["a key that reaches for a prototype", '{"command":["ls"],"__proto__":{"cwd":"/"}}'],
    ["a relative cwd", exec({ cwd: "x" })],
    ["an environment value that is a number", exec({ env: { A: 1 } })],
    ["a decision nobody knows", exec({ approvalDecision: "yes" })],
    ["an agent's id with a line break", exec({ agentId: "a\nb" })],
    ["a time limit of nothing", exec({ timeoutMs: 0 })],
  ])("is refused with %s", (_, requestJson) => {
    expect(parseExecRequest(requestJson).ok).toBe(false);
  });

  test("keeps apart what was approved, what was only said, and what was shown", () => {
    const parsed = parseExecRequest(exec({ approvalToken: "t", approvalDecision: "allow-once", binding: "sha256:0", rawCommand: "rm" }));
    expect(parsed).toMatchObject({
      ok: true,
      value: { run: { approval: { kind: "token", token: "t" }, expectedBinding: "sha256:0" }, forwarded: "allow-once", shownAsRun: false },
    });
  });
});

describe("a request of OpenClaw's dialect", () => {
  test("needs a command and tolerates the rest", () => {
    expect(parseAsked({ command: "rm -rf build", cwd: null, host: "node", more: 1 })).toMatchObject({ ok: true });
    expect(parseAsked({ cwd: "/" }).ok).toBe(false);
    expect(parseAsked("rm").ok).toBe(false);
    expect(parseAsked(undefined).ok).toBe(false);
    expect(parseAsked({ command: "ls", security: "none" }).ok).toBe(false);
  });
});
