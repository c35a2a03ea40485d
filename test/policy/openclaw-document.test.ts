import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { type ExecDocument, readDocument } from "../../src/policy/document.ts";
import { exportOpenclaw, importOpenclaw } from "../../src/policy/openclaw-document.ts";

function documentOf(raw: JsonObject): ExecDocument {
  const read = readDocument({ version: 1, ...raw });
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
}

const DEFAULTS = { security: "allowlist", ask: "on-miss", askFallback: "deny", autoAllowSkills: false };
const OURS = documentOf({ socket: { path: "/s", token: "t" }, defaults: DEFAULTS, agents: {}, mine: 1 });

describe("an import", () => {
  test("adds entries with what is known of their use, once, and keeps what was here", () => {
    const used = {
      id: "e1",
      pattern: "/usr/bin/rg",
      lastUsedAt: 1,
      lastUsedCommand: "rg x",
      lastResolvedPath: "/usr/bin/rg",
      source: "allow-always",
    };
    const theirs = { version: 1, agents: { main: { allowlist: [{ ...used, commandText: "rg x" }, "/usr/bin/rg", "~/bin/*"] } } };
    const first = importOpenclaw(theirs, OURS, false);
    expect(first.document).toMatchObject({
      mine: 1,
      socket: { token: "t" },
      agents: { main: { allowlist: [used, { pattern: "~/bin/*" }] } },
    });
    expect(first.entriesAdded).toBe(2);
    const again = importOpenclaw(theirs, documentOf(first.document), false);
    expect(again.document).toEqual(first.document);
    expect(again.entriesAdded).toBe(0);
  });

  test("takes an entry with everything that narrows it, or not at all", () => {
    const sha256 = "a".repeat(64);
    const bound = { pattern: "/usr/bin/id", argPattern: "-u", sha256, expiresAt: 1, usesLeft: 0 };
    const unread = [{ argPattern: "" }, { argPattern: ["-u"] }, { sha256: "A".repeat(64) }, { expiresAt: "soon" }, { usesLeft: -1 }];
    const allowlist = [bound, ...unread.map((bad) => ({ pattern: "/usr/bin/id", ...bad })), { pattern: "/usr/bin/rg", sha256: null }];
    const taken = importOpenclaw({ agents: { main: { allowlist } } }, OURS, true);
    expect(taken.document).toMatchObject({ agents: { main: { allowlist: [bound, { pattern: "/usr/bin/rg" }] } } });
    expect(taken.entriesAdded).toBe(2);
    expect(taken.leftOut.map((each) => /\[\d\] has a `(\w+)`/.exec(each)?.[1])).toEqual([
      "argPattern",
      "argPattern",
      "sha256",
      "expiresAt",
      "usesLeft",
    ]);
  });

  test("never takes a socket", () => {
    const theirs = { socket: { path: "/evil", token: "evil" }, defaults: {}, agents: {} };
    expect(importOpenclaw(theirs, OURS, true).document).toEqual(OURS.raw);
  });

  test("leaves out what allows more than holds here unless it was asked for, and says what it is", () => {
    const theirs = {
      defaults: { security: "full", ask: "off", askFallback: "full", autoAllowSkills: true },
      agents: { main: { security: "full" } },
    };
    const careful = importOpenclaw(theirs, OURS, false);
    expect(careful.document).toEqual(OURS.raw);
    expect(careful.wider).toEqual([
      { path: "defaults.security", from: "allowlist", to: "full" },
      { path: "defaults.ask", from: "on-miss", to: "off" },
      { path: "defaults.askFallback", from: "deny", to: "full" },
      { path: "defaults.autoAllowSkills", from: "false", to: "true" },
      { path: "agents.main.security", from: "allowlist", to: "full" },
    ]);
    expect(importOpenclaw(theirs, OURS, true).document).toMatchObject(theirs);
  });

  test("measures wider by what holds here: the agent's own, else that of all agents, else the default, else the built-in", () => {
    const locked = documentOf({ defaults: { security: "deny" }, agents: { "*": { ask: "always" }, ops: { security: "full" } } });
    const theirs = { agents: { main: { security: "allowlist", ask: "on-miss" }, ops: { security: "allowlist", ask: "always" } } };
    expect(importOpenclaw(theirs, locked, false).wider.map(({ path }) => path)).toEqual(["agents.main.security", "agents.main.ask"]);
    expect(importOpenclaw({ defaults: { ask: "off" } }, documentOf({}), false).wider).toEqual([
      { path: "defaults.ask", from: "on-miss", to: "off" },
    ]);
  });

  test("takes over what is stricter without a question", () => {
    const theirs = { defaults: { security: "deny", ask: "always" } };
    const taken = importOpenclaw(theirs, OURS, false);
    expect(taken.wider).toEqual([]);
    expect(taken.document).toMatchObject(theirs);
  });

  test("calls their `default` agent main, as it later was", () => {
    expect(importOpenclaw({ agents: { default: { allowlist: ["/bin/ls"] } } }, OURS, false).document).toMatchObject({
      agents: { main: { allowlist: [{ pattern: "/bin/ls" }] } },
    });
  });

  test("names what it does not understand and leaves it out", () => {
    const theirs = {
      defaults: { security: "sandbox", ask: ["off"], autoAllowSkills: "yes" },
      agents: {
        "a b": {},
        main: { allowlist: [7, "", " x", { pattern: null }, { pattern: "/bin/ls", lastUsedAt: "yesterday" }] },
        ops: 1,
      },
    };
    const taken = importOpenclaw(theirs, OURS, true);
    expect(taken.leftOut).toHaveLength(9);
    expect(taken.document).toMatchObject({ agents: { main: { allowlist: [{ pattern: "/bin/ls" }] } } });
    expect(readDocument(taken.document).ok).toBe(true);
  });
});

describe("an export", () => {
  const bounded = [
    { pattern: "/a", sha256: "0".repeat(64) },
    { pattern: "/b", expiresAt: 1 },
    { pattern: "/c", usesLeft: 1 },
  ];

  test("holds what OpenClaw knows, without our token unless it is asked for", () => {
    const ours = documentOf({
      socket: { path: "/s", token: "t" },
      defaults: DEFAULTS,
      agents: { main: { ask: "always", allowlist: ["/bin/ls", { id: "e", pattern: "/d", argPattern: "^x$" }] }, "*": {} },
      mine: 1,
    });
    const { document, leftOut } = exportOpenclaw(ours.raw, null);
    expect(leftOut).toEqual([]);
    expect(document).toEqual({
      version: 1,
      defaults: DEFAULTS,
      agents: {
        main: { ask: "always", allowlist: [{ pattern: "/bin/ls" }, { id: "e", pattern: "/d", argPattern: "^x$" }] },
        "*": { allowlist: [] },
      },
    });
    expect(exportOpenclaw(ours.raw, { path: "/x", token: "y" }).document).toMatchObject({ socket: { path: "/x", token: "y" } });
    expect(importOpenclaw(document, OURS, false).leftOut).toEqual([]);
  });

  test("leaves out an entry whose bound would be lost, and says so", () => {
    const { document, leftOut } = exportOpenclaw({ agents: { main: { allowlist: bounded } } }, null);
    expect(document).toMatchObject({ agents: { main: { allowlist: [] } } });
    expect(leftOut).toHaveLength(3);
    expect(leftOut[0]).toContain("sha256");
  });
});
