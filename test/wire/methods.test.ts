import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import {
  APPROVAL_TIMEOUT_MAX_MS,
  APPROVAL_TIMEOUT_MIN_MS,
  APPROVAL_TOKEN_BYTES_MAX,
  ARGV_WORD_BYTES_MAX,
  ARGV_WORDS_MAX,
  GRANT_USES_MAX,
  NONCE_BYTES_MIN,
  PAGE_ITEMS_MAX,
  PATCH_ENTRIES_MAX,
  PATH_BYTES_MAX,
  REASON_BYTES_MAX,
  REQUEST_KEY_CHARS_MAX,
  SESSION_KEY_BYTES_MAX,
  STDIN_BASE64_BYTES_MAX,
  STDIN_TEXT_BYTES_MAX,
  SUBAGENT_DEPTH_MAX,
  TIMER_MS_MAX,
  WHICH_NAMES_MAX,
  WIRE_NAME_BYTES_MAX,
} from "../../src/core/limits.ts";
import { isMethodName, METHODS, type MethodName, parseCall } from "../../src/wire/methods.ts";
import { APPROVAL, CALLS, HASH, isFree } from "./sample-calls.ts";

const argv = ["git", "status"];

const NAMES = Object.keys(METHODS).filter(isMethodName);

describe("every method", () => {
  test.each(NAMES)("%s takes its smallest and its fullest form", (method) => {
    for (const params of CALLS[method]) expect(parseCall(method, params)).toMatchObject({ ok: true, value: { method } });
  });

  test.each(NAMES)("%s refuses a member it does not know, and names it", (method) => {
    for (const params of CALLS[method]) {
      expect(parseCall(method, { ...params, approvalDecision: "allow-once" })).toMatchObject({
        ok: false,
        failure: { code: "wire.unknown-field", details: { path: "approvalDecision" } },
      });
    }
  });

  test.each(NAMES)("%s takes nothing for another type: no member may be null, a list or an object that is not one", (method) => {
    const full = CALLS[method][1];
    for (const key of Object.keys(full)) {
      for (const wrong of [null, [[]], { wrong: {} }] satisfies JsonValue[]) {
        if (isFree(method, key)) continue;
        expect(parseCall(method, { ...full, [key]: wrong }), `${key} = ${JSON.stringify(wrong)}`).toMatchObject({ ok: false });
      }
    }
  });

  test.each(NAMES)("%s says which member is missing", (method) => {
    const smallest = CALLS[method][0];
    for (const key of Object.keys(smallest)) {
      const { [key]: _, ...rest } = smallest;
      if (method === "authenticate" || Object.hasOwn(smallest, "argv") || Object.hasOwn(smallest, "command")) continue;
      expect(parseCall(method, rest)).toMatchObject({ ok: false, failure: { code: "wire.invalid-params", details: { path: key } } });
    }
  });

  test.each(NAMES)("%s knows who may call it", (method) => {
    expect(METHODS[method].roles).toContain("operator");
    expect(METHODS[method].needsAuth).toBe(method !== "hello" && method !== "authenticate");
  });

  test("leaving params out is an empty object", () => {
    expect(parseCall("status", undefined).ok).toBe(true);
    expect(parseCall("system.run", undefined)).toMatchObject({ ok: false, failure: { code: "wire.invalid-params" } });
  });

  test.each(["", "toString", "__proto__", "system.run ", "SYSTEM.RUN", "rpc.discover"])("`%s` is no method", (method) => {
    expect(parseCall(method, {})).toMatchObject({ ok: false, failure: { code: "wire.unknown-method" } });
  });

  test("no parameters make it throw", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.jsonValue(), (method, params) => {
        const read = parseCall(method, JSON.parse(JSON.stringify(params)));
        if (!read.ok) expect(read.failure.code).toMatch(/^wire\./);
      }),
      { numRuns: 500 },
    );
  });
});

describe("who may call what", () => {
  test("only operators decide, edit policy, read the audit log and handle keys", () => {
    expect(NAMES.filter((name) => !METHODS[name].roles.includes("gateway")).sort()).toEqual([
      "audit.tail",
      "audit.verify",
      "exec.approval.resolve",
      "exec.approvals.node.set",
      "exec.approvals.patch",
      "exec.approvals.set",
      "exec.grants.list",
      "exec.grants.revoke",
      "token.rotate",
      "trust.add",
      "trust.list",
      "trust.remove",
    ]);
  });
});

const bytes = (count: number): string => "é".repeat(Math.floor(count / 2)) + "x".repeat(count % 2);
const list = (count: number, item: JsonValue): JsonValue => Array.from({ length: count }, () => item);
const base64 = (count: number): string => Buffer.alloc(count, 7).toString("base64");

const BOUNDS: readonly { method: MethodName; field: string; with?: JsonObject; accepted: JsonValue; refused: JsonValue }[] = [
  { method: "system.run", field: "argv", accepted: list(ARGV_WORDS_MAX, ""), refused: list(ARGV_WORDS_MAX + 1, "") },
  { method: "system.run", field: "argv", accepted: [bytes(ARGV_WORD_BYTES_MAX)], refused: [bytes(ARGV_WORD_BYTES_MAX + 1)] },
  { method: "system.run", field: "argv", accepted: ["x"], refused: [] },
  { method: "system.run", field: "argv", accepted: ["\n"], refused: ["a\0b"] },
  { method: "system.run", field: "argv", accepted: ["1"], refused: [1] },
  { method: "system.run", field: "argv", accepted: ["1"], refused: { 0: "ls", length: 1 } },
  { method: "system.run", field: "command", accepted: " ls ", refused: "a\0b" },
  {
    method: "system.run",
    field: "cwd",
    with: { argv },
    accepted: `/${"d".repeat(PATH_BYTES_MAX - 1)}`,
    refused: `/${"d".repeat(PATH_BYTES_MAX)}`,
  },
  { method: "system.run", field: "cwd", with: { argv }, accepted: "/", refused: "" },
  { method: "system.run", field: "cwd", with: { argv }, accepted: "/a//./b/", refused: "./a" },
  { method: "system.run", field: "cwd", with: { argv }, accepted: "/a/..b", refused: "/a/../b" },
  { method: "system.run", field: "cwd", with: { argv }, accepted: "/~", refused: "~" },
  { method: "system.run", field: "env", with: { argv }, accepted: { "=": "", "9": "\0" }, refused: { A: 1 } },
  { method: "system.run", field: "agentId", with: { argv }, accepted: "a".repeat(128), refused: "a".repeat(129) },
  { method: "system.run", field: "agentId", with: { argv }, accepted: "A.b:c@d-e_f", refused: "*" },
  { method: "system.run", field: "agentId", with: { argv }, accepted: "main", refused: "maіn" },
  {
    method: "system.run",
    field: "sessionKey",
    with: { argv },
    accepted: bytes(SESSION_KEY_BYTES_MAX),
    refused: bytes(SESSION_KEY_BYTES_MAX + 1),
  },
  { method: "system.run", field: "timeoutMs", with: { argv }, accepted: TIMER_MS_MAX, refused: TIMER_MS_MAX + 1 },
  { method: "system.run", field: "timeoutMs", with: { argv }, accepted: 1, refused: 0 },
  { method: "system.run", field: "timeoutMs", with: { argv }, accepted: 1, refused: 1.5 },
  { method: "system.run", field: "timeoutMs", with: { argv }, accepted: 1, refused: "1" },
  { method: "system.run", field: "stdin", with: { argv }, accepted: bytes(STDIN_TEXT_BYTES_MAX), refused: bytes(STDIN_TEXT_BYTES_MAX + 1) },
  {
    method: "system.run",
    field: "stdinBase64",
    with: { argv },
    accepted: base64(STDIN_BASE64_BYTES_MAX),
    refused: base64(STDIN_BASE64_BYTES_MAX + 1),
  },
  { method: "system.run", field: "stdinBase64", with: { argv }, accepted: "aGk=", refused: "aGk" },
  { method: "system.run", field: "stdinBase64", with: { argv }, accepted: "", refused: "aG k=" },
  { method: "system.run", field: "stdinBase64", with: { argv }, accepted: "aGk=", refused: "aGl=" },
  { method: "system.run", field: "security", with: { argv }, accepted: "allowlist", refused: "Allowlist" },
  { method: "system.run", field: "ask", with: { argv }, accepted: "on-miss", refused: "on-miss " },
  { method: "system.run", field: "context", with: { argv }, accepted: {}, refused: [] },
  {
    method: "system.run",
    field: "context",
    with: { argv },
    accepted: { subagentDepth: SUBAGENT_DEPTH_MAX },
    refused: { subagentDepth: SUBAGENT_DEPTH_MAX + 1 },
  },
  { method: "system.run", field: "context", with: { argv }, accepted: { sender: { id: "1" } }, refused: { sender: { ids: "1" } } },
  {
    method: "system.run",
    field: "approvalToken",
    with: { argv },
    accepted: "x".repeat(APPROVAL_TOKEN_BYTES_MAX),
    refused: "x".repeat(APPROVAL_TOKEN_BYTES_MAX + 1),
  },
  {
    method: "system.run",
    field: "approvalTimeoutMs",
    with: { argv },
    accepted: APPROVAL_TIMEOUT_MIN_MS,
    refused: APPROVAL_TIMEOUT_MIN_MS - 1,
  },
  {
    method: "exec.approval.request",
    field: "approvalTimeoutMs",
    with: { argv },
    accepted: APPROVAL_TIMEOUT_MAX_MS,
    refused: APPROVAL_TIMEOUT_MAX_MS + 1,
  },
  {
    method: "exec.approval.request",
    field: "requestKey",
    with: { argv },
    accepted: "~".repeat(REQUEST_KEY_CHARS_MAX),
    refused: "~".repeat(REQUEST_KEY_CHARS_MAX + 1),
  },
  { method: "exec.approval.request", field: "requestKey", with: { argv }, accepted: " ", refused: "" },
  { method: "exec.approval.request", field: "requestKey", with: { argv }, accepted: "a b", refused: "a\tb" },
  {
    method: "exec.approval.request",
    field: "host",
    with: { argv },
    accepted: bytes(WIRE_NAME_BYTES_MAX),
    refused: bytes(WIRE_NAME_BYTES_MAX + 1),
  },
  { method: "exec.approval.resolve", field: "id", with: { decision: "deny" }, accepted: "7f3c2b1a", refused: "7f3c2b1" },
  { method: "exec.approval.resolve", field: "id", with: { decision: "deny" }, accepted: APPROVAL, refused: `${APPROVAL}0` },
  { method: "exec.approval.resolve", field: "decision", with: { id: APPROVAL }, accepted: "allow-once", refused: "ALLOW-ONCE" },
  {
    method: "exec.approval.resolve",
    field: "reason",
    with: { id: APPROVAL, decision: "deny" },
    accepted: bytes(REASON_BYTES_MAX),
    refused: bytes(REASON_BYTES_MAX + 1),
  },
  {
    method: "exec.approval.resolve",
    field: "uses",
    with: { id: APPROVAL, decision: "allow-always" },
    accepted: GRANT_USES_MAX,
    refused: GRANT_USES_MAX + 1,
  },
  { method: "exec.approval.list", field: "limit", accepted: PAGE_ITEMS_MAX, refused: PAGE_ITEMS_MAX + 1 },
  { method: "exec.approvals.set", field: "baseHash", with: { document: {} }, accepted: HASH, refused: HASH.toUpperCase() },
  { method: "exec.approvals.set", field: "document", with: { baseHash: HASH }, accepted: {}, refused: [] },
  {
    method: "exec.approvals.patch",
    field: "remove",
    with: { baseHash: HASH, agentId: "*" },
    accepted: list(PATCH_ENTRIES_MAX, "x"),
    refused: list(PATCH_ENTRIES_MAX + 1, "x"),
  },
  { method: "system.which", field: "names", accepted: list(WHICH_NAMES_MAX, "x"), refused: list(WHICH_NAMES_MAX + 1, "x") },
  { method: "events.subscribe", field: "topics", accepted: ["exec.denied"], refused: ["exec.*"] },
  {
    method: "hello",
    field: "nonce",
    with: { role: "gateway" },
    accepted: Buffer.alloc(NONCE_BYTES_MIN).toString("base64url"),
    refused: Buffer.alloc(NONCE_BYTES_MIN - 1).toString("base64url"),
  },
  { method: "hello", field: "nonce", with: { role: "gateway" }, accepted: "-_".repeat(12), refused: "+/".repeat(12) },
  { method: "hello", field: "role", with: { nonce: "A".repeat(22) }, accepted: "operator", refused: "admin" },
];

describe("every bound is exact and its refusal names the field", () => {
  test.each(BOUNDS)("$method $field", ({ method, field, with: rest, accepted, refused }) => {
    expect(parseCall(method, { ...rest, [field]: accepted })).toMatchObject({ ok: true });
    const read = parseCall(method, { ...rest, [field]: refused });
    expect(read).toMatchObject({ ok: false });
    if (read.ok) return;
    expect(read.failure.code).toMatch(/^wire\.(invalid-params|unknown-field)$/);
    expect(read.failure.details["path"]).toMatch(new RegExp(`^${field}`));
    expect(read.failure.message.length).toBeLessThan(300);
  });
});

describe("what a call means", () => {
  const commandOf = (params: JsonObject) => {
    const read = parseCall("system.run.prepare", params);
    if (!read.ok || read.value.method !== "system.run.prepare") throw new Error("expected a command");
    return read.value.params;
  };

  test("words and text arrive exactly as sent", () => {
    const words = [" git ", "", "É", "e\u0301", "a\nb"];
    expect(commandOf({ argv: words }).form).toEqual({ kind: "argv", argv: words });
    expect(commandOf({ command: " ls \t" }).form).toEqual({ kind: "command", text: " ls \t" });
  });

  test("argv and command exclude each other, and so do the two forms of stdin and of an approval", () => {
    for (const both of [
      { argv, command: "ls" },
      { argv, stdin: "", stdinBase64: "" },
      { argv, approvalId: "x", approvalToken: "y" },
    ]) {
      expect(parseCall("system.run", both)).toMatchObject({ ok: false, failure: { code: "wire.invalid-params" } });
    }
    expect(parseCall("system.run", { cwd: "/" })).toMatchObject({ ok: false, failure: { details: { path: "argv" } } });
    expect(parseCall("authenticate", { token: "a", proof: "b" })).toMatchObject({ ok: false });
    expect(parseCall("authenticate", {})).toMatchObject({ ok: false });
  });

  test("no stdin and an empty one are told apart", () => {
    expect(commandOf({ argv }).stdin).toBeNull();
    expect(commandOf({ argv, stdin: "" }).stdin).toEqual(Buffer.alloc(0));
    expect(commandOf({ argv, stdinBase64: "/w==" }).stdin).toEqual(Buffer.from([255]));
  });

  test("a cwd loses what means nothing to the kernel and keeps the rest", () => {
    expect(commandOf({ argv, cwd: "/a//b/./ c/" }).cwd).toBe("/a/b/ c");
    expect(commandOf({ argv }).cwd).toBeNull();
  });

  test("environment names are left for the layer that has codes for them", () => {
    expect([...commandOf({ argv, env: { "A=B": "x", toString: "y" } }).env]).toEqual([
      ["A=B", "x"],
      ["toString", "y"],
    ]);
  });

  test("a refusal never repeats a value, which may be a token", () => {
    for (const params of [{ token: { s3cret: 1 } }, { token: ["s3cret"] }, { token: "x", agentId: "s3cret!" }]) {
      const read = parseCall("authenticate", params);
      expect(read.ok).toBe(false);
      expect(JSON.stringify(read)).not.toContain("s3cret");
    }
  });
});
