import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { countersign, type Ended } from "../support/countersign.ts";
import { startTestDaemon } from "../support/daemon.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(() => scratch.remove());

const THEIRS = {
  version: 1,
  socket: { path: "~/.openclaw/exec-approvals.sock", token: "theirs" },
  defaults: { security: "full", ask: "off" },
  agents: {
    main: { security: "allowlist", ask: "on-miss", allowlist: [{ id: "e1", pattern: "~/Projects/**/bin/rg", lastUsedAt: 1737150000000 }] },
  },
};

function theirs(): string {
  const path = join(scratch.path, "theirs.json");
  writeFileSync(path, JSON.stringify(THEIRS));
  return path;
}

function stored(stateDir: string): JsonObject {
  const document: unknown = JSON.parse(readFileSync(join(stateDir, "exec-approvals.json"), "utf8"));
  if (!isJsonObject(document)) throw new Error("a document is an object");
  return document;
}

async function cs(words: readonly string[], stateDir: string): Promise<Ended> {
  return countersign([...words, "--state-dir", stateDir], { env: { HOME: scratch.path } });
}

describe.each(["with a running daemon", "without one"])("import %s", (how) => {
  test("shows everything first, asks before anything that allows more, and keeps our socket", async () => {
    const daemon = how === "without one" ? null : await startTestDaemon();
    const stateDir = daemon?.stateDir ?? join(scratch.path, "state");
    if (daemon === null) expect((await cs(["init"], stateDir)).exitCode).toBe(0);
    try {
      const before = readFileSync(join(stateDir, "exec-approvals.json"), "utf8");
      const shown = await cs(["import", "--openclaw", theirs(), "--dry-run"], stateDir);
      expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
      expect(shown.stdout).toContain("defaults.security: allowlist -> full");
      expect(shown.stdout).toContain("defaults.ask: on-miss -> off");
      expect(shown.stdout).toMatch(/\+.*Projects/);
      const told = await cs(["import", "--json", "--openclaw", theirs(), "--dry-run"], stateDir);
      expect(JSON.parse(told.stdout)).toMatchObject({
        written: false,
        entriesAdded: 1,
        wider: [{ path: "defaults.security" }, {}],
        leftOut: [],
      });
      const unasked = await cs(["import", "--openclaw", theirs()], stateDir);
      expect(unasked).toMatchObject({ exitCode: 64 });
      expect(readFileSync(join(stateDir, "exec-approvals.json"), "utf8")).toBe(before);
      const done = await cs(["import", "--openclaw", theirs(), "--yes"], stateDir);
      expect(done.exitCode).toBe(0);
      const after = stored(stateDir);
      expect(after).toMatchObject({ defaults: THEIRS.defaults, agents: THEIRS.agents });
      const socket: unknown = isJsonObject(JSON.parse(before)) ? JSON.parse(before).socket : null;
      expect(after["socket"]).toEqual(socket);
      expect((await cs(["import", "--openclaw", theirs(), "--yes"], stateDir)).stdout).toContain("nothing to import");
    } finally {
      await daemon?.stop();
    }
  });
});

describe("import", () => {
  test.each([
    ["no JSON", "{", 78],
    ["a list", "[]", 78],
    ["another version", '{"version":2}', 78],
    ["a key twice", '{"version":1,"version":1}', 78],
  ])("of a file with %s changes nothing", async (_, text, exitCode) => {
    writeFileSync(join(scratch.path, "x.json"), text);
    const ended = await cs(["import", "--openclaw", join(scratch.path, "x.json"), "--yes"], join(scratch.path, "state"));
    expect(ended.exitCode).toBe(exitCode);
    expect(existsSync(join(scratch.path, "state"))).toBe(false);
  });
});

describe("export", () => {
  test("writes what import reads back, 0600, and the token only when asked for it", async () => {
    const stateDir = join(scratch.path, "state");
    await cs(["init"], stateDir);
    await cs(["import", "--openclaw", theirs(), "--yes"], stateDir);
    const printed = await cs(["export", "--openclaw", "-"], stateDir);
    expect(JSON.parse(printed.stdout)).toMatchObject({ version: 1, defaults: THEIRS.defaults, agents: THEIRS.agents });
    expect(printed.stdout).not.toContain("token");
    const path = join(scratch.path, "out.json");
    expect((await cs(["export", "--openclaw", "-", "--with-socket"], stateDir)).exitCode).toBe(64);
    expect((await cs(["export", "--openclaw", path, "--with-socket"], stateDir)).exitCode).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ socket: stored(stateDir)["socket"] });
    expect((await cs(["export", "--openclaw", path], stateDir)).exitCode).toBe(64);
  });
});
