import { generateKeyPairSync } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { painter } from "../../src/cli/paint.ts";
import { tableLines } from "../../src/cli/table.ts";
import { columnsOf, cut, folded, wrapped } from "../../src/cli/width.ts";
import { shownWord } from "../../src/wire/display.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { printedAt, printedInPipe, type Surroundings } from "../support/printed.ts";
import { openSession, type Session } from "../support/session.ts";
import { hasTmux } from "../support/tmux.ts";
import { AGENT, GATEWAY, NOT_HERE, type Printed, SCRIPT, screensOf } from "./screens.ts";

describe("columns", () => {
  test.each([
    ["plain", 5],
    ["größe", 5],
    ["漢字", 4],
    ["😀", 2],
    ["कि", 1],
    ["\u001b[31mred\u001b[39m", 3],
  ])("%s takes %d", (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  test("what is cut says so and fits", () => {
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("漢字漢字", 4)).toBe("漢…");
    expect(cut("abcd", 4)).toBe("abcd");
  });

  test("folding leaves nothing out, tears no escape apart, and every line fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 12, max: 40 }), (word, columns) => {
        const shown = shownWord(word);
        const lines = folded(shown, columns);
        expect(lines.join("")).toBe(shown);
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        for (const line of lines.slice(0, -1)) expect(line).not.toMatch(/(?<!\\)(?:\\\\)*\\(?:x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?$/);
      }),
    );
  });

  test("a sentence breaks between words, a path between its names, and hangs where it is told to", () => {
    expect(wrapped("there is no socket at `/srv/state/countersign/exec-approvals.sock`; start it", 30, "  ")).toEqual([
      "there is no socket at",
      "  `/srv/state/countersign/",
      "  exec-approvals.sock`; start",
      "  it",
    ]);
    expect(wrapped("a".repeat(12), 10)).toEqual(["a".repeat(10), "aa"]);
  });

  test("wrapping leaves nothing out but the spaces at which it breaks, and every line fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", "/", " ", "\u6f22") }), fc.integer({ min: 8, max: 40 }), (text, columns) => {
        const lines = wrapped(text, columns, "  ");
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });
});

describe("colours and folds", () => {
  const paint = painter(true);

  test("a colour ends with its line and begins again on the next, also within a long word", () => {
    expect(wrapped(`${paint.bold("two words")} plain`, 6)).toEqual(["\u001b[1mtwo\u001b[22m", "\u001b[1mwords\u001b[22m", "plain"]);
    expect(wrapped(paint.red("a".repeat(6)), 4)).toEqual(["\u001b[31maaaa\u001b[39m", "\u001b[31maa\u001b[39m"]);
  });

  test("a name that fits on no line does not leave the beginning of its path alone on one", () => {
    expect(wrapped("./a-very-long-name", 10)).toEqual(["./a-very-l", "ong-name"]);
  });
});

describe("a table", () => {
  const rows = [["3f2c9a1e", "main", "for good", "/usr/bin/git"]];
  const table = (columns: number): readonly string[] => tableLines(["ID", "AGENT", "HOLDS", "WHAT"], rows, painter(false), columns);

  test("is one where it fits, and in a pipe", () => {
    const whole = ["ID        AGENT  HOLDS     WHAT", "3f2c9a1e  main   for good  /usr/bin/git"];
    expect(table(40)).toEqual(whole);
    expect(table(Number.POSITIVE_INFINITY)).toEqual(whole);
  });

  test("is labelled blocks where even its first columns do not", () => {
    expect(table(20)).toEqual(["3f2c9a1e", "  agent  main", "  holds  for good", "  what   /usr/bin/", "         git"]);
  });
});

let daemon: TestDaemon;
let gateway: Session;
let screens: readonly Printed[];
let around: Surroundings;

describe("what commands print for people", () => {
  beforeAll(async () => {
    daemon = await startTestDaemon({
      args: ["--allow-unattended"],
      settings: { tools: { deny: ["browser", "group:web"] }, agents: { [AGENT]: { tools: { profile: "minimal" } } } },
    });
    const script = join(daemon.home, SCRIPT);
    writeFileSync(script, "#!/bin/sh\n");
    chmodSync(script, 0o755);
    around = { cwd: daemon.home, env: { HOME: daemon.home, COUNTERSIGN_STATE_DIR: daemon.stateDir } };
    const key = join(daemon.home, "gateway.pem");
    writeFileSync(key, generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }));
    for (const words of [
      ["allowlist", "add", "/usr/bin/git", "--arg-pattern", "push origin [a-z/-]+", "--for", "8h"],
      ["allowlist", "add", script, "--pin", "--agent", AGENT],
      ["trust", "add", GATEWAY, "--key", key, "--agents", `main,${AGENT}`],
    ])
      await printedInPipe(words, around);
    gateway = await openSession(daemon, "gateway");
    const asked = { argv: [script, "staging", "two words"], cwd: daemon.home, twoPhase: true, approvalTimeoutMs: 3_600_000 };
    const { id } = await gateway.must("exec.approval.request", asked);
    screens = screensOf({ home: daemon.home, stateDir: daemon.stateDir, pending: typeof id === "string" ? id : "" });
  });

  afterAll(async () => {
    gateway.close();
    await daemon.stop();
  });

  test("every command is looked at, or there is a reason why not", () => {
    const seen = new Set(screens.flatMap(({ words }) => [words[0] ?? "", words.slice(0, 2).join(" ")]));
    expect(COMMANDS.map(({ name }) => name).filter((name) => !seen.has(name) && !Object.hasOwn(NOT_HERE, name))).toEqual([]);
  });

  test.runIf(hasTmux).each([40, 60, 80, 200])("fits %d columns, and nothing of it is lost (needs tmux)", async (columns) => {
    const printed = await printedAt(
      columns,
      screens.map(({ words }) => words),
      around,
    );
    const wrong = screens.flatMap(({ words, keeps, whole }, index) => {
      const text = printed[index] ?? "";
      const wide = text.split("\n").filter((line) => columnsOf(line) > columns && whole?.test(line) !== true);
      const lost = keeps.filter((kept) => !unspaced(text).includes(unspaced(kept)));
      return wide.length + lost.length === 0 ? [] : [{ words, wide, lost, text }];
    });
    expect(wrong).toEqual([]);
  });

  test("is never folded in a pipe, has no colour there, and asks no variable how wide it is", async () => {
    const wrong = [];
    for (const { words, keeps } of screens) {
      const text = await printedInPipe(words, { ...around, env: { ...around.env, COLUMNS: "40" } });
      const torn = keeps.filter((kept) => !text.split("\n").some((line) => line.includes(kept)));
      if (torn.length > 0 || text.includes("\u001b")) wrong.push({ words, torn, text });
    }
    expect(wrong).toEqual([]);
  });

  test.runIf(hasTmux)("is plain at a terminal too where NO_COLOR says so (needs tmux)", async () => {
    const some = [["doctor"], ["grants", "list"], ["policy", "settings"], ["deny", "00000000"]];
    const env = { ...around.env, NO_COLOR: "1" };
    const plain = await printedAt(80, some, { ...around, env }, { colours: true });
    expect(plain.join("")).not.toContain("\u001b");
    const coloured = await printedAt(80, some, around, { colours: true });
    expect(coloured.every((text) => text.includes("\u001b["))).toBe(true);
  });
});

function unspaced(text: string): string {
  return text.replaceAll(/\s/g, "");
}
