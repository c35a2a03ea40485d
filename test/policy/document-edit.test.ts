import { expect, test } from "vitest";
import { type ExecDocument, parseDocument } from "../../src/policy/document.ts";
import { pruned, replaced, withEntries, withoutEntries, withoutSecrets, withSocket, withUses } from "../../src/policy/document-edit.ts";
import { renderDocument } from "../../src/policy/render-document.ts";
import { haveSameSubstance } from "../../src/policy/substance.ts";

function read(value: unknown): ExecDocument {
  const parsed = parseDocument(JSON.stringify(value));
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

function patterns(document: ExecDocument, agent: string): readonly string[] {
  return (document.agents.get(agent)?.allowlist ?? []).map((entry) => entry.pattern);
}

const CAT = { id: "1", pattern: "/bin/cat", colour: "red" };
const STORED = {
  version: 1,
  futureKey: { kept: true },
  socket: { path: "/run/a.sock", token: "the-secret", allowUids: [1000], note: "mine" },
  agents: { main: { owner: "ops team", allowlist: ["/bin/ls", CAT] } },
};

test("an edit keeps every key it does not know", () => {
  const edited = withEntries(read(STORED), "main", [{ id: "2", pattern: "/bin/rg", source: "allow-always" }]);
  expect(edited.ok && edited.value.raw).toEqual({
    ...STORED,
    agents: {
      main: { owner: "ops team", allowlist: [...STORED.agents.main.allowlist, { id: "2", pattern: "/bin/rg", source: "allow-always" }] },
    },
  });
});

test("the same grant is not stored twice, on other terms it is", () => {
  const again = withEntries(read(STORED), "main", [
    { id: "2", pattern: "/bin/ls" },
    { id: "3", pattern: "/bin/ls", usesLeft: 3 },
    { id: "4", pattern: "/bin/ls", usesLeft: 3 },
  ]);
  expect(again.ok && patterns(again.value, "main")).toEqual(["/bin/ls", "/bin/cat", "/bin/ls"]);
});

test("an agent that was not there gets its section, whatever it is called", () => {
  const edited = withEntries(read({ version: 1 }), "constructor", [{ id: "1", pattern: "/bin/ls" }]);
  expect(edited.ok && patterns(edited.value, "constructor")).toEqual(["/bin/ls"]);
});

test.each(["", "  ", " /bin/ls", "/bin/ls ", "/bin/\0ls"])(
  "a pattern that could not grant anything is refused as the caller's mistake: %j",
  (pattern) => {
    const edited = withEntries(read(STORED), "main", [{ id: "1", pattern }]);
    expect(edited.ok ? "stored" : edited.failure.code).toBe("wire.invalid-params");
  },
);

test("entries are removed by id or by pattern", () => {
  expect(patterns(withoutEntries(read(STORED), "main", ["1"]), "main")).toEqual(["/bin/ls"]);
  expect(patterns(withoutEntries(read(STORED), "main", ["/bin/ls"]), "main")).toEqual(["/bin/cat"]);
  const same = read(STORED);
  expect(withoutEntries(same, "main", ["red"])).toBe(same);
});

test("what a client reads holds no token and can be written back without losing it", () => {
  const stored = read(STORED);
  const shown = withoutSecrets(stored);
  expect(JSON.stringify(shown)).not.toContain("the-secret");
  const back = replaced(stored, { ...shown, agents: {} });
  expect(back.ok && back.value.socket).toEqual(stored.socket);
  expect(back.ok && back.value.agents.size).toBe(0);
});

test("a new document that leaves the socket out, or says null, keeps the stored one", () => {
  for (const next of [{ version: 1 }, { version: 1, socket: null }, { version: 1, socket: { token: null, path: null } }]) {
    const back = replaced(read(STORED), next);
    expect(back.ok && back.value.socket.token).toBe("the-secret");
    expect(back.ok && back.value.socket.path).toBe("/run/a.sock");
  }
  expect(replaced(read(STORED), { version: 2 }).ok).toBe(false);
});

test("socket path and token are filled in without touching their neighbours", () => {
  const filled = withSocket(read({ version: 1, socket: { allowUids: [7] } }), { path: "/p", token: "t" });
  expect(filled.raw["socket"]).toEqual({ allowUids: [7], path: "/p", token: "t" });
});

test("a use is written to its entry and changes nothing that decides", () => {
  const before = read(STORED);
  const keys = before.agents.get("main")?.allowlist.map((entry) => entry.key) ?? [];
  const after = withUses(
    before,
    keys.map((key) => ({ key, at: 5, command: "ls -l", resolvedPath: "/bin/ls" })),
  );
  expect(renderDocument(after)).toContain('"lastUsedAt": 5');
  expect(after.agents.get("main")?.allowlist.map((entry) => entry.key)).toEqual(keys);
  expect(patterns(after, "main")).toEqual(patterns(before, "main"));
  const again = withUses(
    after,
    keys.map((key) => ({ key, at: 9, command: "ls", resolvedPath: "/bin/ls" })),
  );
  expect(again.substance).toBe(before.substance);
  expect(again.agents).toEqual(read(JSON.parse(renderDocument(again))).agents);
});

test("grants that ran out are pruned, the others keep their place", () => {
  const document = read({
    version: 1,
    agents: {
      main: {
        allowlist: [
          "/a",
          { pattern: "/b", expiresAt: 10 },
          { pattern: "/c", expiresAt: 11 },
          { id: "d", pattern: "/d", usesLeft: 1 },
          { pattern: "/e" },
        ],
      },
    },
  });
  expect(
    patterns(
      pruned(document, 10, () => true),
      "main",
    ),
  ).toEqual(["/a", "/c", "/e"]);
  expect(pruned(document, 9, () => false)).toBe(document);
});

test("half a character in a use is our own mistake and reaches no document", () => {
  const document = read(STORED);
  expect(() => withUses(document, [{ key: "1", at: 5, command: "cat \ud83d", resolvedPath: "/bin/cat" }])).toThrow("broke an entry");
});

test.each([
  ["a use", true, { main: { owner: "ops team", allowlist: [{ pattern: "/bin/ls", lastUsedAt: 1, lastResolvedPath: "/x" }, CAT] } }],
  ["another pattern", false, { main: { owner: "ops team", allowlist: ["/bin/lsof", CAT] } }],
  ["a bound that was added", false, { main: { owner: "ops team", allowlist: [{ pattern: "/bin/ls", usesLeft: 1 }, CAT] } }],
  ["an entry that is gone", false, { main: { owner: "ops team", allowlist: ["/bin/ls"] } }],
  ["an entry more", false, { main: { owner: "ops team", allowlist: ["/bin/ls", CAT, "/bin/rg"] } }],
  ["another order of keys", false, { main: { allowlist: STORED.agents.main.allowlist, owner: "ops team" } }],
  ["an unknown key", false, { main: { ...STORED.agents.main, owner: "others" } }],
  ["a list where an object was", false, []],
])("%s between two versions of a file leaves the same substance: %s", (_, isSame, agents) => {
  const other = read({ ...STORED, ...(Array.isArray(agents) ? { futureKey: agents } : { agents }) });
  expect(haveSameSubstance(read(STORED), other)).toBe(isSame);
  expect(haveSameSubstance(other, read(STORED))).toBe(isSame);
});
