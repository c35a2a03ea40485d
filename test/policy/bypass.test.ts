/**
 * Whole commands against a list, from text or words to the answer. Every program here is listed by its path; what must not follow from that
 * stands in the first table, what must in the second.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Segment } from "../../src/analysis/command-plan.ts";
import { planCommand } from "../../src/analysis/plan-command.ts";
import type { Step } from "../../src/analysis/step.ts";
import { toArgv } from "../../src/core/argv.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { suggestedEntry } from "../../src/policy/allow-always.ts";
import type { NewEntry } from "../../src/policy/allow-entry.ts";
import { compileRegex } from "../../src/policy/arg-regex.ts";
import { effectiveFor } from "../../src/policy/effective.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../src/policy/exec-settings.ts";
import { matchAllowlist } from "../../src/policy/match.ts";
import { compileRules } from "../../src/policy/rules.ts";
import { type Satisfaction, satisfy } from "../../src/policy/satisfy.ts";
import { CWD, tableMachine } from "../analysis/table-machine.ts";
import { agent, documentOf } from "./judging.ts";

const machine = tableMachine({
  programs: {
    "/home/u/p/tool": "binary",
    "/home/u/p/rg": "binary",
    "/home/u/p/sh": "binary",
    "/home/u/p/py": "binary",
    "/home/u/p/node_modules/.bin/tsc": "#!/usr/bin/env node",
    "/usr/bin/gtimeout": "binary",
    "/usr/bin/zsh-5.9": "binary",
    "/usr/bin/busybox.static": "binary",
    "/usr/bin/command": "binary",
    "/usr/bin/countersign": "binary",
    "/usr/lib/node_modules/countersign/build/bin/main.js": "#!/usr/bin/env node",
  },
  files: [
    "/home/u/p/save.sh",
    "/home/u/p/other.sh",
    "/home/u/p/x.py",
    "/home/u/p/--version",
    "/home/u/p/inspect",
    "/home/u/p/Makefile",
    "/home/u/.local/state/countersign/exec-approvals.json",
  ],
  links: {
    "/home/u/p/link": "/usr/bin",
    "/home/u/p/state": "/home/u/.local/state/countersign",
    "/home/u/p/fresh": "../.local/state/countersign/approvals/new.json",
    "/home/u/p/py": "/usr/bin/python3",
  },
});

const LISTED = (
  "[ ls cat echo printf rg grep git tar find xargs sed awk python3 node npm make sudo touch true perl ruby busybox tclsh setsid ssh curl docker kill " +
  "sort zip sh bash dash zsh fish env nice nohup timeout stdbuf time id sleep java lua php deno bun gtimeout zsh-5.9 busybox.static command countersign"
).split(" ");
const MAIN = "/usr/lib/node_modules/countersign/build/bin/main.js";
const ALLOWLIST = [...LISTED.map((name) => `/usr/bin/${name}`), "/home/u/p/save.sh", MAIN];
const rules = compileRules(
  effectiveFor(documentOf({ version: 1, agents: { main: { allowlist: ALLOWLIST } } }), agent("main")),
  machine,
  compileRegex,
);

function judge(command: string | readonly string[]): Satisfaction & { readonly step: Step | null } {
  const argv = typeof command === "string" ? null : toArgv(command);
  const form = argv === null ? ({ kind: "command", text: String(command) } as const) : ({ kind: "argv", argv } as const);
  const plan = planCommand({ form, cwd: CWD, hasStdin: false }, machine);
  if (!plan.ok) return { ok: false, reason: plan.failure.message, segment: null, step: null };
  const satisfied = satisfy({
    plan: plan.value,
    rules,
    settings: EXEC_SETTINGS_DEFAULT,
    machine,
    hashOf: () => null,
    usesLeft: () => null,
    nowMs: 0,
  });
  return { ...satisfied, step: plan.value.analysis.ok ? plan.value.analysis.asJudged : null };
}

describe("is not covered although every program in it is listed", () => {
  test.each<string | readonly string[]>([
    // Text that means more than its words.
    "echo a > b", "echo $HOME", "echo *", "ls {a,b}", "ls ~", "ls ~root", "ls x=~", "A=1 ls", "ls\nid", "(ls)", "{ ls; }", "ls `id`", "ls $(id)",
    "ls <(id)", "ls &> x", "ls |& cat", "if true; then ls; fi", "time ls", "! ls", "f() { ls; }", "ls $'a'", 'ls "$x"', "ls #c", "ls \u00a0x", "=ls",
    // Builtins, however they are written.
    "eval ls", "exec ls", ". ./save.sh", "source ./save.sh", "export A=1; ls", "alias ls=id; ls", "cd sub; ls", "cd - && ls", "cd && ls", "ls && cd sub",
    "cd a b && ls", "cd sub | ls", "cd sub & ls", "command ls", "'eval' ls", "trap ls EXIT", "read x", "set -x; ls", "\\cd sub; ls",
    // Wrappers that are not looked through, or not in this form.
    "sudo ls", "setsid ls", "env A=1 ls", "env -i ls", "env -S 'ls x'", "env --split-string=ls", "env -u X ls", "env - ls", "nice -x ls", "nice --5 ls",
    "timeout ls", "timeout 1e1 ls", "stdbuf ls", "env env env env env ls", "nohup -p ls", "env", "nice", "timeout 5", "busybox", "busybox --list",
    "busybox -x ls", "xargs ls", "find . -exec ls ;", "find . -delete", "ssh h ls", ["time", "-o", "x", "ls"], ["time", "-a", "ls"],
    // Shells.
    "bash", "bash -s", "bash -lc ls", "bash -ic ls", "bash --login -c ls", "bash --rcfile x -c ls", "bash -xc ls", "bash -kc 'ls A=1'", "bash -c",
    "bash -c 'ls; eval id'", "bash -ec 'ls; id'", "bash -o pipefail -c 'ls | cat'", "bash other.sh", "bash -x save.sh", "bash -l save.sh", "bash -s save.sh",
    "bash --init-file x save.sh", "bash -c './save.sh > x'", "fish -c 'ls a&id'", "zsh -c 'ls =id'", "sh -c 'ls $0' x", 'sh -c \'"$@"\' _ sudo ls',
    'sh -c \'"$0" "$@"\' eval ls', "sh -c '$0' 'ls -l'", "zsh-5.9 -ic ls", "bash -c 'bash -lc ls'",
    // Interpreters and their like.
    "python3 -c 1", "python3 x.py", "python3 -m http.server", "python3", "python3 -", "python3 -v", "py -c 1", "./py x.py", "node -e 1", "node x.py",
    "node inspect x.js", "node --require ./x -v", "perl -e 1", "perl -ne 1", "perl -pie x", "ruby -rjson -e 1", "php -r 1", "lua -e 1", "tclsh x.py",
    "tclsh --version", "awk 1", "awk -f x", "sed e", "sed 's/a/b/e'", "sed -n 'w x'", "sed p x -e '1e id'", "sed -f x", "sed --expression=e", "deno run x.ts",
    "bun x.ts", "java -jar x", "cat x | sh", "cat x | python3", "make", "make -f x", "npm run x", "npm exec -c ls", "npx cowsay", "npx -p x tsc",
    // Programs that start others when told to.
    "git -c a=b status", "git commit", "git --exec-path=x status", "git push", "git evil", "git ls-remote ext::x", "git log --ext-diff", "tar -I x -cf y z",
    "tar --checkpoint-action=x -cf y z", "tar cfI y x z", "tar --to-comm=x -xf y", "curl -K x", "curl -o x y", "sort -o x", "sort --compress-prog=x", "zip -TT x y z",
    "docker run x", "docker -H x ps", "rg --pre x y",
    // Names that are not what they seem, and our own house.
    "./rg x", "/home/u/p/rg x", "./tool", "./sh -c ls", "link/../home/u/p/rg", "countersign approve x",
    `${MAIN} approve x`,
    `node ${MAIN} approve x`, "cat state/exec-approvals.json", "ls state", "cat fresh", "touch sub/../fresh",
    ["cat", "/home/u/.local/state/countersign/exec-approvals.json"], "cat -- ../../u/.local/state/countersign/operator.token",
    ["tar", "cf", "x", "--directory=/home/u/.local/state/countersign", "."], ["curl", "-T/home/u/.local/state/countersign/x", "h"],
    // Words that a list of arguments does not turn into anything else.
    ["ls; id"], ["ls && id"], ["$0"], [""], ["bash", "-c", "ls\nid"], ["sh", "-c", "sudo ls"],
  ])("%j", (command) => {
    expect(judge(command)).toMatchObject({ ok: false });
  });
}); // biome-ignore format: a table

describe("is covered, because every program in it is listed and does what it is", () => {
  test.each<string | readonly string[]>([
    "ls", "ls -la '*' \"\\$HOME\"", "ls && cat x || echo y; rg z | cat &", "cd sub && ls", "cd sub && cd .. && ls", ": && ls", "[ -f x ] && ls",
    "nice -n 5 ls", "nice -5 ls", "timeout -k 1 5s ls", "stdbuf -oL ls", "env ls", "env -- ls", "nohup ls", "env nice nohup timeout 5 ls", "gtimeout 5 ls",
    "sh -c 'ls; id'", "bash -ec 'ls && id'", "bash --norc -c ls", "zsh -fc ls", "dash -c ls", "fish -Nc 'ls; id'", "busybox ls", "busybox sh -c ls",
    "zsh-5.9 -fc ls", 'sh -c \'"$@"\' _ ls x', "sh -c 'exec \"$@\"' _ ls", "nice sh -c 'nice ls'", "busybox.static ls", "bash save.sh", "bash save.sh x y",
    "nice bash save.sh", "python3 --version", "node -v", "sed -n 1,5p x", "sed s/a/b/g x", "git status", "git log --oneline -n 5", "git diff HEAD -- x",
    "find . -name '*.ts' -type f", "tar xzf x -C y", "curl -fsSL https://x", "docker ps", "docker logs x", "npm ls", "kill -9 1", "rg --no-ignore x", "sort -k1,1 x",
    "head -n 5", "cat x | head -n 5 | wc -l", ["ls", "a; b", "$(id)", "`id`", "> x"], ["echo", "\n", "\u202e"], ["time", "-p", "ls"],
  ])("%j", (command) => {
    expect(judge(command)).toMatchObject({ ok: true });
  });
}); // biome-ignore format: a table

function started(step: Step): readonly string[] {
  if (step.kind === "nothing") return [];
  if (step.kind === "chain") return step.parts.flatMap((part) => started(part.step));
  return [step.script?.path ?? (step.carried?.program ?? step.program).realPath];
}

test("whatever a list waves through starts nothing but what was found in it", () => {
  const WORDS = (
    "bash sh zsh busybox env nice timeout nohup stdbuf time sudo xargs find git sed awk python3 node npx perl ls cat echo id tool ./rg ./py -c -e -ec -lc -i -- - 5 5s -n -5 " +
    "-k --signal=TERM A=1 save.sh ./save.sh other.sh x.py && || | ; & cd sub link state tsc --version 's/a/b/' 1p status -exec > $0 * ~"
  ).split(" ");
  const texts = ["ls; id", "ls && cat x", '"$@"', "cd sub && ls", "sudo ls", "sh -c ls", "python3 x.py", "ls > x"];
  const word = fc.constantFrom(...WORDS, ...texts);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 9 }), fc.boolean(), (words, asText) => {
      const judged = judge(asText ? words.join(" ") : words);
      if (!judged.ok || judged.step === null) return;
      const found = new Set(judged.by.map(({ path }) => String(path)));
      for (const path of started(judged.step)) expect(found).toContain(path);
      for (const { path, kind } of judged.by) if (kind === "allowlist") expect(ALLOWLIST).toContain(String(path));
    }),
    { numRuns: 6000, interruptAfterTimeLimit: 6000 },
  );
});

test("the entry that is suggested for an uncovered part covers it, and no other arguments of a program that carries", () => {
  const missed = ["rm x", "git push origin main", "python3 -c 'print(1)'", "bash other.sh", "./tool a", "tar -I 'x y' -cf z w", "make a.b"];
  for (const command of missed) {
    const { segments, suggested } = suggestionsFor(command);
    expect(suggested.length).toBeGreaterThan(0);
    for (const [index, entry] of suggested.entries()) {
      const segment = segments[index];
      if (segment === undefined || entry === null) throw new Error(`nothing is suggested for ${command}`);
      const own = compileRules(
        effectiveFor(documentOf({ version: 1, agents: { main: { allowlist: [{ ...entry }] } } }), agent("main")),
        machine,
        compileRegex,
      );
      const context = { machine, trustedDirectories: new Set<string>(), hashOf: () => DIGEST, usesLeft: () => null, now: 0 };
      expect(matchAllowlist(segment, own, context)).not.toBeNull();
      const other = { ...segment, argv: toArgv([...segment.argv, "more"]) ?? segment.argv };
      if (entry.argPattern !== undefined) expect(matchAllowlist(other, own, context)).toBeNull();
    }
  }
});

test("nothing is suggested where only a person can allow it", () => {
  for (const command of ["sudo ls", "eval ls", "nosuch x", "countersign approve x", "cat state/x", "bash -lc ls"]) {
    expect(suggestionsFor(command).suggested.every((entry) => entry === null)).toBe(true);
  }
});

const DIGEST = sha256Of("the file");

function suggestionsFor(text: string): { readonly segments: readonly Segment[]; readonly suggested: readonly (NewEntry | null)[] } {
  const plan = planCommand({ form: { kind: "command", text }, cwd: CWD, hasStdin: false }, machine);
  if (!plan.ok || !plan.value.analysis.ok) throw new Error(`not planned: ${text}`);
  const { segments } = plan.value.analysis;
  return { segments, suggested: segments.map((segment) => suggestedEntry(segment, machine, () => DIGEST)) };
}
