import { describe, expect, test } from "vitest";
import {
  agentOf,
  type Caller,
  type Credentials,
  callerByToken,
  type Decider,
  decider,
  isCaller,
  isCurrent,
  mayCall,
} from "../../src/auth/caller.ts";
import { failureDelay } from "../../src/auth/failure-delay.ts";
import { type AgentId, isAgentId } from "../../src/core/ids.ts";
import { AUTH_FAILURE_DELAY_MS, AUTH_FAILURES_PER_DELAY_PER_UID_MAX } from "../../src/core/limits.ts";
import { sha256Of } from "../../src/core/sha256.ts";

const credentials: Credentials = {
  gatewayToken: "g",
  operatorToken: "o",
  gateways: new Map([
    ["ci", { tokenSha256: sha256Of("c"), agents: ["main", "ops-*", "a*b*c"] }],
    ["any", { tokenSha256: sha256Of("y"), agents: null }],
    ["none", { tokenSha256: sha256Of("n"), agents: [] }],
  ]),
  gatewayMayResolve: false,
};

function caller(token: string, more: Partial<Credentials> = {}): Caller {
  const found = callerByToken({ ...credentials, ...more }, token);
  if (found === null) throw new Error("expected a caller");
  return found;
}

function agent(id: string): AgentId {
  if (!isAgentId(id)) throw new Error("expected an agent's id");
  return id;
}

describe("who is calling", () => {
  test("a token names its credential, and no other text does", () => {
    expect(["g", "o", "c", "y"].map((token) => caller(token).credential)).toEqual(["gateway", "operator", "gateway:ci", "gateway:any"]);
    for (const token of ["", "G", "g ", "go", sha256Of("c")]) expect(callerByToken(credentials, token)).toBeNull();
  });

  test("only an operator decides, unless the document lets gateways", () => {
    expect(decider(caller("o"))).not.toBeNull();
    expect(decider(caller("g"))).toBeNull();
    expect(decider(caller("g", { gatewayMayResolve: true }))).not.toBeNull();
    expect(mayCall(caller("g"), "exec.approval.resolve")).toMatchObject({ ok: false, failure: { code: "auth.forbidden" } });
    expect(mayCall(caller("g", { gatewayMayResolve: true }), "exec.approvals.set")).toMatchObject({ ok: false });
    expect(mayCall(caller("o"), "exec.approvals.set").ok).toBe(true);
  });

  test("a rotated token is no longer current, others stay", () => {
    const rotated = { ...credentials, gatewayToken: "new", gateways: new Map([["ci", { tokenSha256: sha256Of("c2"), agents: null }]]) };
    expect(["g", "o", "c", "y"].map((token) => isCurrent(caller(token), credentials))).toEqual([true, true, true, true]);
    expect(["g", "o", "c", "y"].map((token) => isCurrent(caller(token), rotated))).toEqual([false, true, false, false]);
  });

  test("a look-alike is no caller: the compiler refuses it, and so does the running program", () => {
    const real = caller("o");
    // @ts-expect-error a literal has no proof in it
    const literal: Decider = { role: "operator", credential: "operator", tokenSha256: sha256Of("o") };
    // @ts-expect-error a gateway may not decide by itself
    const gateway: Decider = caller("g");
    const forgeries: object[] = [literal, Object.assign({}, real), structuredClone(Object.assign({}, real)), Object.create(real)];
    expect(forgeries.map(isCaller)).toEqual([false, false, false, false]);
    expect([real, gateway].map(isCaller)).toEqual([true, true]);
    expect(() => Reflect.set(real, "role", "x")).not.toThrow();
    expect(real.role).toBe("operator");
  });
});

describe("which agent is spoken for", () => {
  test.each<readonly [string, string | null, string | null, string | null]>([
    ["g", null, null, "main"],
    ["g", null, "x", "x"],
    ["g", "x", null, "x"],
    ["g", "x", "x", "x"],
    ["g", "x", "y", null],
    ["o", "x", "y", null],
    ["o", null, "anybody", "anybody"],
    ["c", null, null, "main"],
    ["c", null, "ops-", "ops-"],
    ["c", null, "ops-1", "ops-1"],
    ["c", null, "xops-1", null],
    ["c", null, "ops", null],
    ["c", null, "main2", null],
    ["c", null, "abc", "abc"],
    ["c", null, "a.b.b.c", "a.b.b.c"],
    ["c", null, "ac", null],
    ["c", null, "abcd", null],
    ["y", null, "anybody", "anybody"],
    ["n", null, null, null],
  ])("token %s, connection %s, request %s: %s", (token, pinned, asked, expected) => {
    const found = agentOf(caller(token), pinned === null ? null : agent(pinned), asked === null ? null : agent(asked));
    if (expected === null) expect(found).toMatchObject({ ok: false, failure: { code: "auth.forbidden" } });
    else expect(found).toEqual({ ok: true, value: expected });
  });
});

describe("failing answers", () => {
  test("wait, share one budget per uid, and recover", () => {
    const delay = failureDelay();
    const waits = Array.from({ length: 3 * AUTH_FAILURES_PER_DELAY_PER_UID_MAX }, () => delay.take(1000, 5));
    expect(waits[0]).toBe(AUTH_FAILURE_DELAY_MS);
    expect(waits.at(-1)).toBeGreaterThan(3.5 * AUTH_FAILURE_DELAY_MS);
    expect(new Set(waits).size).toBe(waits.length);
    expect(delay.take(1001, 5)).toBe(AUTH_FAILURE_DELAY_MS);
    expect(delay.take(1000, 5 + 4 * AUTH_FAILURE_DELAY_MS)).toBe(AUTH_FAILURE_DELAY_MS);
  });
});
