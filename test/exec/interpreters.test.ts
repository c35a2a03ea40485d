import { spawnSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadNative } from "../../src/native/libc.ts";
import { CASES, type InterpreterCase } from "./interpreter-cases.ts";
import { type Lab, openLab } from "./launching.ts";

const native = loadNative();
const PATH = "/usr/local/bin:/usr/bin:/bin";
const installed = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`], { env: { PATH } }).status === 0;

/** What the script does when nobody stands between it and its interpreter. */
function plainly(lab: Lab, argv: readonly string[]): { stdout: string; stderr: string; status: number | null; signal: string | null } {
  const [program = "", ...args] = argv;
  const env = { PATH, HOME: join(lab.root, "work"), LANG: "C.UTF-8", COUNTERSIGN_RUN: "none" };
  const { stdout, stderr, status, signal } = spawnSync(program, args, { cwd: join(lab.root, "work"), env, encoding: "utf8" });
  return { stdout, stderr, status, signal };
}

/** Messages of a shell name the file it reads from: the one thing that differs. */
function withoutNames(text: string, name: string): string {
  return text
    .replaceAll(/\/proc\/self\/fd\/\d+/g, "SELF")
    .replaceAll(name, "SELF")
    .replaceAll("SELF: SELF", "SELF");
}

describe.each(native === null ? ["pinned"] : ["sealed", "pinned"])(
  "at the level %s a script sees what it would see without us",
  (level) => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await openLab(level === "sealed" ? native : null);
      for (const { files = {} } of CASES) for (const [path, text] of Object.entries(files)) lab.write(path, text);
    });
    afterAll(() => lab.stop());

    async function compare(each: InterpreterCase, name: string, argv: readonly string[]): Promise<void> {
      const path = lab.write(each.script, each.text);
      const expected = plainly(lab, argv);
      // Replaced after it was looked at, in place where the level holds against that: what runs is what was looked at.
      const meanwhile = (): void => {
        if (each.evil === null) return;
        if (level === "pinned") renameSync(path, `${path}~`);
        writeFileSync(path, each.evil);
      };
      const { result, stdout, stderr } = await lab.run(argv, { meanwhile });
      if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
      const { exitCode, signal, enforcement } = result.value;
      const said = (text: string): string => (each.mingles === true ? text.split("\n").toSorted().join("\n") : text);
      expect({ stdout: said(stdout), exitCode, signal }).toEqual({
        stdout: said(expected.stdout),
        exitCode: expected.status,
        signal: expected.signal,
      });
      if (each.stderr !== "differs") expect(withoutNames(stderr, name)).toBe(withoutNames(expected.stderr, name));
      expect(enforcement).toBe(each.drops === true ? "checked" : level);
      expect(stdout.includes("EVIL")).toBe(false);
    }

    for (const each of CASES) {
      test.runIf(installed(each.program))(`${each.name} (if ${each.program} is installed)`, async () => {
        for (const name of each.calledAs ?? [`./${each.script}`, each.script, join(lab.root, "work", each.script)]) {
          await compare(each, name, [each.program, ...(each.options ?? []), name, ...(each.args ?? [])]);
        }
        if (each.text.startsWith("#!")) await compare(each, `./${each.script}`, [`./${each.script}`, ...(each.args ?? [])]);
      });
    }
  },
);
