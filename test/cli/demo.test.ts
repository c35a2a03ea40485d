import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columnsOf } from "../../src/cli/width.ts";
import { countersign, start } from "../support/countersign.ts";
import { printedAt } from "../support/printed.ts";
import { hasTmux } from "../support/tmux.ts";

/** A temporary directory of its own, so that what the demo leaves behind would be seen. */
let temporary: string;
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "cs-d-"));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

describe("the demo", () => {
  test("plays every scene as claimed, each refusal with its code and field, and leaves nothing behind", async () => {
    const { exitCode, stdout, stderr } = await countersign(["demo", "--json"], { env: { TMPDIR: temporary } });
    const { ok, scenes }: { ok: boolean; scenes: { code?: string; field?: string }[] } = JSON.parse(stdout);
    expect({ ok, exitCode, stderr }).toEqual({ ok: true, exitCode: 0, stderr: "" });
    expect(scenes.map(({ code, field }) => [code, field])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      ["approval.consumed", undefined],
      ["binding.executable-differs", "executable"],
      ["binding.cwd-differs", "cwd"],
      ["binding.executable-differs", "executable"],
      ["env.forbidden", "env.LD_PRELOAD"],
      ["approval.consumed", undefined],
      ["approval.consumed", undefined],
      [undefined, undefined],
      [undefined, expect.stringContaining(".jsonl")],
    ]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("is plain in a pipe", async () => {
    const { exitCode, stdout } = await countersign(["demo"], { env: { TMPDIR: temporary } });
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("everything went as claimed");
  });

  test.runIf(hasTmux)("fits a terminal of forty columns (needs tmux)", async () => {
    const [text = ""] = await printedAt(40, [["demo", "--fast"]], { cwd: temporary, env: { TMPDIR: temporary } });
    expect(text).toContain("everything went as claimed");
    expect(text.split("\n").filter((line) => columnsOf(line) > 40)).toEqual([]);
  });

  test("interrupted, it ends with 130 and leaves nothing behind", async () => {
    const playing = start(["demo"], { env: { TMPDIR: temporary } });
    await playing.says(" 1 ok");
    playing.child.kill("SIGINT");
    expect((await playing.ended).exitCode).toBe(130);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("a machine on which no daemon can start gives a failure that says why, and no hang", async () => {
    // unix(7) has 107 bytes for a socket's path.
    const long = join(temporary, "x".repeat(100));
    mkdirSync(long);
    const { exitCode, stderr } = await countersign(["demo"], { env: { TMPDIR: long } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^countersign: the daemon did not start: .*socket/);
    expect(readdirSync(long)).toEqual([]);
  });
});
