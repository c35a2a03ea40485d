import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planCommand } from "../../src/analysis/plan-command.ts";
import type { Step } from "../../src/analysis/step.ts";
import { toArgv } from "../../src/core/argv.ts";
import { quickestMs } from "../support/quickest.ts";
import { CWD, tableMachine } from "./table-machine.ts";

const machine = tableMachine({
  programs: { "/home/u/p/tool": "#!/usr/bin/env python3", "/home/u/p/node_modules/.bin/tsc": "#!/usr/bin/env node" },
  files: ["/home/u/p/x.sh", "/home/u/p/x.py", "/home/u/p/package.json", "/home/u/p/Makefile"],
  links: { "/home/u/p/link": "/usr/bin", "/home/u/p/state": "/home/u/.local/state/countersign" },
});

/** Words that mean something to some table, so that most sentences reach deep into it. */
const WORDS = (
  "bash sh zsh fish busybox env nice timeout nohup stdbuf time sudo xargs find git tar sed awk gawk python3 node npm npx pnpm yarn bun deno make perl ruby php " +
  "java npx exec dlx run test -c -e -lc -ec -i -- - + +x -o pipefail --login --rcfile --norc -S -n5 -5 5 5s --signal=TERM -k -f -m -r -p --eval --eval=1 " +
  "x.sh x.py ./tool tool none ls echo cd . .. link state /proc/self/fd/0 /dev/stdin A=1 $0 $@ {} ; && | > -exec s/a/b/e {print} tsc cowsay \\ ' \" é"
).split(" ");
const word = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...WORDS, "", '$0 "$1"', 'exec "$@"', "ls; id", "cd link && ls", "ls > x") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const words = fc.array(word, { minLength: 1, maxLength: 10 });

function commandsIn(step: Step): readonly (Step & { kind: "command" })[] {
  if (step.kind === "nothing") return [];
  return step.kind === "command" ? [step] : step.parts.flatMap(({ step: part }) => commandsIn(part));
}

const WITHIN_MS = 500;

describe("planCommand, given anything", () => {
  const check = (form: Parameters<typeof planCommand>[0]["form"]): void => {
    const plan = planCommand({ form, cwd: CWD, hasStdin: false }, machine);
    if (!plan.ok) {
      expect(plan.failure.message).not.toMatch(/\n/);
      return;
    }
    const { analysis, asRequested, files, executable, nested } = plan.value;
    expect([...files].sort((a, b) => a.argvIndex - b.argvIndex)).toEqual(files);
    const bound = new Set([executable, ...nested].map(({ realPath }) => realPath));
    for (const step of commandsIn(asRequested)) {
      expect(bound).toContain(step.program.realPath);
      if (step.script !== null) expect(files.map(({ path }) => path)).toContain(step.script.path);
      if (step.carried !== null) expect(bound).toContain(step.carried.program.realPath);
    }
    if (!analysis.ok) return;
    if (analysis.segments.some(({ never }) => never !== null)) return;
    // What policy may start is what was judged, no program more, and all of it is bound unless the text goes to /bin/sh as it stands.
    const judged = new Set(analysis.segments.flatMap(({ program }) => (program === null ? [] : [program.realPath])));
    for (const step of commandsIn(analysis.asJudged)) expect(judged).toContain((step.carried?.program ?? step.program).realPath);
  };

  test("as an argument list, answers and binds every program and script that a step starts", () => {
    fc.assert(
      fc.property(words, (list) => {
        const argv = toArgv(list);
        if (argv !== null) check({ kind: "argv", argv });
      }),
      { numRuns: 4000, interruptAfterTimeLimit: 4000 },
    );
  });

  test("as a text, does the same", () => {
    fc.assert(
      fc.property(words, (list) => check({ kind: "command", text: list.join(" ") })),
      { numRuns: 4000, interruptAfterTimeLimit: 4000 },
    );
  });

  test.each([
    ["one word of a mebibyte", ["ls", "a".repeat(1024 * 1024)]],
    ["a mebibyte of slashes", ["cat", "/".repeat(1024 * 1024)]],
    ["a mebibyte of separators", ["cat", "=:,@".repeat(256 * 1024)]],
    ["4096 words", ["bash", "-c", "ls", ...Array.from({ length: 4093 }, (_, index) => `x${index}=/a/b/${index}`)]],
    ["4096 wrappers", Array.from({ length: 4096 }, () => "env")],
    ["4096 options of make", ["make", ...Array.from({ length: 4095 }, () => "-k")]],
    ["4096 targets of make", ["make", ...Array.from({ length: 4095 }, () => "a")]],
    ["a long sed program", ["sed", `s/${"a".repeat(500_000)}/b/${"g".repeat(500_000)}`]],
    ["a cluster of a mebibyte", ["python3", `-${"B".repeat(1024 * 1024)}`]],
    ["a positional carrier with many words", ["sh", "-c", '"$0" '.repeat(3000), "x"]],
    ["a name of a mebibyte", ["a".repeat(1024 * 1024)]],
    ["a name of digits", [`a${"1.".repeat(100_000)}`, "x"]],
  ])("%s in no time that anybody notices", (_name, list) => {
    const argv = toArgv(list) ?? (["ls"] as const);
    const ask = (): void => void planCommand({ form: { kind: "argv", argv }, cwd: CWD, hasStdin: false }, machine);
    // What grows with the square of its input takes minutes here; what does not takes a tenth of this on a quiet machine.
    expect(quickestMs(WITHIN_MS, ask)).toBeLessThan(WITHIN_MS);
  });
});
