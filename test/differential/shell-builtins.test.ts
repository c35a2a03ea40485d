/** A builtin that we take for a program would be judged as one thing and run as another. The shells of this machine say which they have. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { BUILTINS, BUILTINS_OF_SHELL, BUILTINS_THAT_ARE_PROGRAMS, RESERVED_WORDS } from "../../src/analysis/shell-words.ts";

const ASKED: readonly {
  readonly shell: string;
  readonly argv: readonly [string, ...string[]];
  readonly read: (said: string) => string[];
}[] = [
  { shell: "bash", argv: ["/bin/bash", "--norc", "-c", "compgen -b; compgen -k"], read: lines },
  { shell: "zsh", argv: ["/bin/zsh", "-fc", "print -l ${(k)builtins} ${(k)reswords}"], read: lines },
  { shell: "fish", argv: ["/usr/bin/fish", "-Nc", "builtin -n"], read: lines },
  {
    shell: "busybox",
    argv: ["/bin/busybox", "sh", "-c", "help"],
    read: (said) => said.replace(/^.*commands:|-{3,}/gm, "").match(/\S+/g) ?? [],
  },
];

function lines(said: string): string[] {
  return said.split("\n").filter((line) => line !== "");
}

function ask([program, ...args]: readonly [string, ...string[]]): string {
  return execFileSync(program, args, { env: { PATH: "/nowhere" }, stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" });
}

function isKnown(name: string, shell: string): boolean {
  const own = BUILTINS_OF_SHELL.get(shell)?.has(name) ?? false;
  return own || BUILTINS.has(name) || BUILTINS_THAT_ARE_PROGRAMS.has(name) || RESERVED_WORDS.has(name);
}

for (const { shell, argv, read } of ASKED) {
  test.runIf(existsSync(argv[0]))(`every builtin and reserved word of ${shell} is known (where ${shell} is installed)`, () => {
    const found = read(ask(argv));
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((name) => !isKnown(name, shell))).toEqual([]);
  });
}

test.runIf(existsSync("/bin/dash"))("dash has no builtin of another shell that is not known to be one (where dash is installed)", () => {
  const candidates = new Set([
    ...BUILTINS,
    ...[...BUILTINS_OF_SHELL.values()].flatMap((names) => [...names]),
    "let",
    "local",
    "help",
    "source",
  ]);
  const text = `for name do command -v -- "$name" >&2 || continue; printf '%s\\n' "$name"; done`;
  const found = lines(ask(["/bin/dash", "-c", text, "dash", ...candidates]));
  expect(found).toEqual(expect.arrayContaining(["eval", "exec", "export", "set"]));
  expect(found.filter((name) => !isKnown(name, "dash"))).toEqual([]);
});
