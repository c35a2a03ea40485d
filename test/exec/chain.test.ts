import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadNative } from "../../src/native/libc.ts";
import { type Lab, openLab } from "./launching.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";

/** Texts that sh and our own executor must agree on: output, order and status. */
const TEXTS: readonly string[] = [
  "echo a && echo b",
  "false && echo b",
  "false || echo b",
  "true || echo b",
  "true && false || echo c",
  "false && echo a || echo b && echo c",
  "false || false && echo a; echo b",
  "echo a; false; echo b",
  "echo a; false",
  "true; exit_with 3",
  "exit_with 3 || exit_with 4",
  "exit_with 3 && exit_with 4",
  "exit_with 3; :",
  ": && echo yes",
  "printf 'c\\nb\\na\\n' | sort",
  "printf 'c\\nb\\na\\n' | sort | head -n 1",
  "false | true",
  "true | false",
  "exit_with 3 | exit_with 5 | exit_with 7",
  "echo a | cat && echo b | cat",
  "echo a | cat | cat | cat | cat | wc -c",
  "yes | head -n 3",
  "seq 1 200000 | tail -n 1",
  "seq 1 100000 | cat | cat | wc -l",
  "to_stderr one; echo two; to_stderr three",
  "to_stderr one | cat",
  ": | cat; echo after",
  "yes | :; echo after",
  "sh -c 'echo a; echo b' | cat",
  "false || sh -c 'echo a; echo b'",
  "true || sh -c 'echo a; echo b'; echo c",
  "sh -c 'exit_with 3; exit_with 4' || echo failed",
  "sh -c 'echo x | cat' | sh -c 'cat | cat'",
  "cd sub && pwd && echo in | cat",
  "cd sub && cd .. && pwd",
  "die_of TERM; echo after",
  "die_of KILL && echo after",
  "die_of KILL || echo after",
  "true; die_of TERM",
  "echo bg & echo fg",
  "exit_with 3 &",
  "exit_with 3 & exit_with 4",
  "cat & cat",
  "cat | cat",
  "cat; echo end; cat",
  "head -c 2; echo; cat",
  "false && echo a & echo b",
  "sh -c 'sleep 0.1 && echo late &' | cat",
  "yes | sh -c 'sleep 0.1 && true &'; echo over",
  "sh -c 'sleep 0.1 && echo late & echo early' | cat; echo after",
  "sh -c 'sh -c \"sleep 0.1; echo inner &\" &' | cat | cat",
  "sh -c 'sleep 0.1; echo into the pipe | cat &' | sh -c 'cat; echo end &'",
  "echo a;",
  "echo 'a b' \"c d\" e\\ f",
];

describe.each(loadNative() === null ? ["pinned"] : ["sealed", "pinned"])("at the level %s a chain does what sh does", (level) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab(level === "sealed" ? loadNative() : null);
    lab.write("sub/file", "x\n");
    lab.write("bin/exit_with", '#!/bin/sh\nexit "$1"\n');
    lab.write("bin/to_stderr", '#!/bin/sh\necho "$1" >&2\n');
    lab.write("bin/die_of", '#!/bin/sh\nkill -"$1" $$\n');
  });
  afterAll(() => lab.stop());

  test.each(TEXTS.flatMap((text) => [[text, false] as const, [text, true] as const]))("%s (looked through: %s)", async (text, judged) => {
    const cwd = join(lab.root, "work");
    const input = "one\ntwo\n";
    const path = `${PATH}:${join(cwd, "bin")}`;
    const expected = spawnSync("/bin/sh", ["-c", text], { cwd, env: { PATH: path }, encoding: "utf8", input });
    const { result, stdout, stderr, step } = await lab.run(text, {
      judged,
      env: { PATH: path },
      settings: { path: path.split(":") },
      io: { stdin: Buffer.from(input) },
    });
    // No shell was handed the text.
    expect(step.kind === "command" ? step.argv : []).not.toContain(text);
    if (!result.ok) throw new Error(result.failure.message);
    const lines = (output: string): readonly string[] =>
      text.includes("&") && !text.includes("&&") ? output.split("\n").toSorted((a, b) => a.localeCompare(b)) : [output];
    expect({ exitCode: result.value.exitCode, stdout: lines(stdout) }).toEqual({
      exitCode: expected.status,
      stdout: lines(expected.stdout),
    });
    // A shell says how its commands died; nobody else does.
    if (!text.includes("die_of")) expect(stderr).toBe(expected.stderr);
    expect(result.value).toMatchObject({ signal: null, escaped: [] });
  });
});
