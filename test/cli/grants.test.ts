import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chosen } from "../../src/cli/grants/revoke.ts";
import { countersign, type Ended, start } from "../support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";

let daemon: TestDaemon;
beforeEach(async () => {
  daemon = await startTestDaemon({
    document: {
      version: 1,
      agents: {
        main: { allowlist: ["/usr/bin/true"] },
        "*": {
          allowlist: [
            { id: "aaaaaaaa-1111-4111-8111-111111111111", pattern: "/usr/bin/id", usesLeft: 2, expiresAt: Date.now() + 7_200_000 },
          ],
        },
      },
    },
    args: ["--allow-unattended"],
  });
});
afterEach(async () => daemon.stop());

const cs = (...words: readonly string[]): Promise<Ended> =>
  countersign([...words, "--state-dir", daemon.stateDir], { env: { HOME: daemon.home } });
const runs = (...words: readonly string[]): Promise<Ended> =>
  countersign(["run", "--state-dir", daemon.stateDir, "--", ...words], { env: { HOME: daemon.home }, cwd: daemon.home });

describe("grants", () => {
  test("are listed with their bounds and their last use", async () => {
    const before = await cs("grants", "list");
    expect(before.stdout).toMatch(/^aaaaaaaa {2}\* +1 h 59 min left, 2 more uses {2}never +\/usr\/bin\/id$/m);
    expect(before.stdout).toMatch(/^- +main +for good +never +\/usr\/bin\/true$/m);
    expect((await runs("id")).exitCode).toBe(0);
    expect((await cs("grants", "list")).stdout).toMatch(
      /^aaaaaaaa {2}\* +1 h 59 min left, 1 more use +(?:just now|\d+ s ago) +\/usr\/bin\/id$/m,
    );
  });

  test("are used up after as many runs as were granted, and say so", async () => {
    expect((await runs("id")).exitCode).toBe(0);
    expect((await runs("id")).exitCode).toBe(0);
    expect((await runs("id")).exitCode).toBe(2);
    expect((await cs("grants", "list")).stdout).toContain("used up");
  });

  test("that nobody gave are no dead end: it is said how to give one", async () => {
    const { stdout } = await cs("grants", "list", "--agent", "nobody");
    expect((await cs("grants", "revoke", "/usr/bin/id")).exitCode).toBe(0);
    expect(stdout).toContain("/usr/bin/id");
    expect((await cs("grants", "list", "--agent", "nobody")).stdout).toContain("to list a program: countersign allowlist add PATTERN");
  });

  test("are told to programs as they are", async () => {
    const { grants } = JSON.parse((await cs("grants", "list", "--json")).stdout);
    expect(grants).toMatchObject([
      { agentId: "main", pattern: "/usr/bin/true" },
      { agentId: "*", usesGranted: 2, usesLeft: 2, lastUsedAt: null },
    ]);
  });

  test.each([
    { name: "the beginning of its id", grant: "aaaaaaaa", runsNot: "id" },
    { name: "its pattern", grant: "/usr/bin/true", runsNot: "true" },
  ])("are revoked by $name, and then asked about again", async ({ grant, runsNot }) => {
    expect((await runs(runsNot)).exitCode).toBe(0);
    expect((await cs("grants", "revoke", grant)).stdout).toContain("will be asked about again");
    expect((await runs(runsNot)).stderr).toContain("approval.required");
    expect((await cs("grants", "revoke", grant)).exitCode).toBe(1);
  });

  test("that a person gave with bounds are the ones that are listed", async () => {
    const agent = start(["run", "--state-dir", daemon.stateDir, "--wait", "--", "uname"], { env: { HOME: daemon.home }, cwd: daemon.home });
    await expect.poll(async () => (await cs("pending", "--json")).stdout, { timeout: 10_000 }).toContain("uname");
    const { approvals } = JSON.parse((await cs("pending", "--json")).stdout);
    await cs("approve", approvals[0].id, "--always", "--scope", "command", "--for", "30m", "--uses", "3");
    expect((await agent.ended).exitCode).toBe(0);
    expect((await cs("grants", "list", "--agent", "main")).stdout).toMatch(
      /main +29 min 5\d s left, [23] more uses .*\/uname {2}\(one command\)$/m,
    );
    expect(readFileSync(join(daemon.stateDir, "exec-approvals.json"), "utf8")).toContain("sha256:cwd-argv:v1:");
  });
});

describe("which grant is meant", () => {
  const grant = (id: string, pattern: string) => ({
    id,
    agentId: "main",
    pattern,
    argPattern: null,
    sha256: null,
    source: null,
    expiresAt: null,
    usesGranted: null,
    usesLeft: null,
    lastUsedAt: null,
  });

  test("is never guessed: a beginning that fits two, or one that is too short, revokes nothing", () => {
    const grants = [grant("12345678-a", "/a"), grant("12345678-b", "/b")];
    expect(() => chosen(grants, "12345678")).toThrow("is 2 entries");
    expect(() => chosen(grants, "1234567")).toThrow("no entry is called `1234567`");
    expect(chosen(grants, "12345678-b").pattern).toBe("/b");
  });
});
