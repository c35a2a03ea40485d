import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { countersign } from "../../support/countersign.ts";
import { MAIN } from "../../support/program.ts";
import { type Scratch, scratchDirectory } from "../../support/scratch.ts";
import { canRun, hasTmux, openScreen } from "../../support/tmux.ts";

let scratch: Scratch;
const at = (name: string): string => join(scratch.path, name);
const WAITING = "3f2c9a1e-1111-4111-8111-111111111111";

beforeAll(async () => {
  scratch = scratchDirectory();
  mkdirSync(at("bin"));
  mkdirSync(at("a directory"));
  writeFileSync(at("a file"), "");
  for (const shell of ["bash", "zsh", "fish"]) writeFileSync(at(shell), (await countersign(["completion", shell])).stdout);
  // On the PATH is the real program, but for what waits, which needs no daemon here.
  writeFileSync(
    at("bin/countersign"),
    `#!/bin/sh\n[ "$1" = pending ] && echo '{"approvals":[{"id":"${WAITING}","state":"pending"}]}' && exit\nexec ${process.execPath} ${MAIN} "$@"\n`,
  );
  chmodSync(at("bin/countersign"), 0o755);
});
afterAll(() => scratch.remove());

const env = (): NodeJS.ProcessEnv => ({ PATH: `${at("bin")}:${process.env["PATH"]}`, HOME: scratch.path });

/** The words before the cursor, the last of which is being typed. */
function inBash(...words: readonly string[]): readonly string[] {
  const script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _countersign; printf "%s\\n" "${COMPREPLY[@]}"';
  const said = execFileSync("bash", ["--norc", "-c", script, at("bash"), "countersign", ...words], {
    encoding: "utf8",
    env: env(),
    cwd: scratch.path,
  });
  return said.split("\n").filter(Boolean);
}

describe.runIf(canRun("bash", ["--version"]))("completion in a real bash", () => {
  test.each([
    { name: "a command", words: ["app"], is: ["approve"] },
    { name: "a family", words: ["aud"], is: ["audit"] },
    { name: "the second word of a name", words: ["audit", "v"], is: ["verify"] },
    { name: "a flag", words: ["approve", "--al"], is: ["--always"] },
    { name: "a flag that every command has", words: ["audit", "verify", "--state"], is: ["--state-dir"] },
    { name: "the value of a flag that has choices", words: ["approve", "--scope", "c"], is: ["command"] },
    { name: "an operand that has choices", words: ["completion", "f"], is: ["fish"] },
    { name: "a directory, with a blank in it", words: ["status", "--state-dir", "a"], is: ["a directory"] },
    { name: "a file", words: ["status", "--token-file", "a "], is: ["a directory", "a file"] },
    { name: "what waits for an answer", words: ["approve", "3f"], is: [WAITING] },
    { name: "a command after a shared flag and its value", words: ["--state-dir", "x", "gra"], is: ["grants"] },
    { name: "nothing where nothing can be known", words: ["run", "--agent", ""], is: [] },
  ])("$name", ({ words, is }) => {
    expect(inBash(...words).toSorted()).toEqual(is);
  });

  test("every command there is can be completed, and every flag of every command", () => {
    for (const { name, flags = {} } of COMMANDS) {
      const words = name.split(" ");
      expect(inBash(...words)).toContain(words.at(-1));
      const [flag] = Object.keys(flags);
      if (flag !== undefined) expect(inBash(...words, `--${flag}`)).toContain(`--${flag}`);
    }
  });

  test("after -- it is the other command's line", () => {
    expect(inBash("run", "--", "bas")).toContain("bash");
    expect(inBash("run", "--", "ls", "--js")).toEqual([]);
  });

  test.runIf(hasTmux)("a person's Tab finishes the word (needs tmux)", async () => {
    const screen = openScreen(["bash", "--norc", "-i"], { env: { PATH: `${at("bin")}:${process.env["PATH"]}`, PS1: "$ " } });
    try {
      await screen.shows("$");
      screen.type(`source ${at("bash")}\r`);
      screen.type("countersign appro\t--alw\t");
      await screen.shows("countersign approve --always");
    } finally {
      screen.close();
    }
  });
});

describe.runIf(canRun("fish", ["--version"]))("completion in a real fish", () => {
  const inFish = (line: string): readonly string[] =>
    execFileSync("fish", ["--no-config", "-c", `source ${at("fish")}; complete -C ${JSON.stringify(line)}`], {
      encoding: "utf8",
      env: env(),
      cwd: scratch.path,
    })
      .split("\n")
      .map((row) => row.split("\t")[0] ?? "")
      .filter(Boolean);

  test.each([
    { name: "a command", line: "countersign app", is: "approve" },
    { name: "the second word of a name", line: "countersign audit v", is: "verify" },
    { name: "a flag", line: "countersign approve --al", is: "--always" },
    { name: "the value of a flag", line: "countersign approve --scope c", is: "command" },
    { name: "what waits for an answer", line: "countersign approve 3f", is: WAITING },
  ])("$name", ({ line, is }) => {
    expect(inFish(line)).toEqual([is]);
  });
});

describe.runIf(canRun("zsh", ["--version"]) && hasTmux)("completion in a real zsh (needs zsh and tmux)", () => {
  test("a person's Tab finishes commands, names of two words, and flags", async () => {
    const screen = openScreen(["zsh", "-f", "-i"], {
      env: { PATH: `${at("bin")}:${process.env["PATH"]}`, PS1: "$ ", ZDOTDIR: scratch.path },
    });
    try {
      await screen.shows("$");
      screen.type(`autoload -U compinit && compinit -u -D && source ${at("zsh")}; clear\r`);
      await screen.hides("compinit");
      screen.type("countersign appro\t--alw\t");
      await screen.shows("countersign approve --always");
      screen.type("\u0015countersign audit ver\t--js\t");
      await screen.shows("countersign audit verify --json");
    } finally {
      screen.close();
    }
  });
});

test("a shell that is not known is named with those that are", async () => {
  const { exitCode, stderr } = await countersign(["completion", "tcsh"]);
  expect(exitCode).toBe(64);
  expect(stderr).toContain("bash, zsh, fish, not for `tcsh`");
});
