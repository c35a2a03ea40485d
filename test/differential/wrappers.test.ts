/**
 * What is looked through must be what the real wrappers and shells would start. Argument lists of real `env`, `nice`, `timeout`, `sh` and
 * their like around three recording programs are planned; whatever the plan holds for understood is then run as it was written.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { Machine } from "../../src/analysis/machine.ts";
import { planCommand } from "../../src/analysis/plan-command.ts";
import type { Step } from "../../src/analysis/step.ts";
import { resolvePath } from "../../src/core/absolute-path.ts";
import { type Argv, toArgv } from "../../src/core/argv.ts";
import { path } from "../policy/table-machine.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { stepRuns } from "./step-runs.ts";

const SEED = Number(process.env["DIFFERENTIAL_SEED"] ?? Date.now() % 2 ** 31);
const LEAVES = ["a", "b", "c"];
const WRAPPERS = "env nice nohup timeout stdbuf time sh bash dash zsh busybox fish".split(" ");
const DIRECTORIES = ["/usr/bin", "/bin"];

const scratch = scratchDirectory();
const bin = join(scratch.path, "bin");
const cwd = path(join(scratch.path, "here"));
mkdirSync(bin);
mkdirSync(join(cwd, "sub"), { recursive: true });
for (const directory of [scratch.path, bin, cwd, join(cwd, "sub")]) chmodSync(directory, 0o755);
for (const leaf of LEAVES) {
  // The whole record in one write, and an ending that depends on the name alone.
  const body = `#!/bin/sh\nprintf '%s\\0' "$__n" "$(($# + 2))" "\${0##*/}" "$(pwd)" "$@" >&3\n[ "\${0##*/}" != c ]\n`;
  writeFileSync(join(bin, leaf), body, { mode: 0o755 });
}
const installed = WRAPPERS.flatMap((name) => {
  const found = DIRECTORIES.map((directory) => join(directory, name)).find((file) => existsSync(file));
  if (found !== undefined) symlinkSync(found, join(bin, name));
  return found === undefined ? [] : [name];
});
afterAll(() => scratch.remove());

const machine: Machine = {
  home: path("/nowhere"),
  stateDirectory: path("/nowhere/state"),
  program(word, from) {
    const at = word.includes("/") ? resolvePath(from, word) : resolvePath(path(bin), word);
    const known = at === "/bin/sh" || [...LEAVES, ...installed].some((name) => at === join(bin, name));
    return known ? { word, linkPath: at, realPath: at, linksAreRoots: true } : "not-found";
  },
  kindOf: (at) => (existsSync(at) ? (LEAVES.some((leaf) => at === join(bin, leaf)) ? "file" : "directory") : null),
  realPath: (at) => (existsSync(at) ? at : null),
  linkText: () => null,
  childCanChange: () => false,
  inWorldWritableDirectory: () => false,
  shebang: () => null,
};

const one = (...lists: readonly (readonly string[])[]): fc.Arbitrary<readonly string[]> => fc.constantFrom(...lists);
const OPTIONS: Readonly<Record<string, fc.Arbitrary<readonly string[]>>> = {
  env: one([], [], ["--"], ["-i"], ["A=1"], ["-"], ["-S", "a b"], ["-u", "X"], ["-0"], ["--chdir=/"], ["-v"], ["--ignore-environment"]),
  nice: one([], ["-n", "5"], ["-n5"], ["-5"], ["--adjustment=5"], ["--adj", "5"], ["-n"], ["--"], ["-10", "-n", "3"], ["--5"], ["-x"]),
  nohup: one([], ["--"], ["-p"]),
  timeout: one(
    ["5"],
    ["5s"],
    ["-k", "1", "5"],
    ["-k1", "5"],
    ["--kill-after=1", "5"],
    ["--kill", "1", "5"],
    ["-s", "TERM", "5"],
    ["--signal=KILL", "5"],
    ["--foreground", "5"],
    ["--pres", "5"],
    ["--", "5"],
    ["5", "--"],
    ["1e1"],
    ["-v", "5"],
    [],
  ),
  stdbuf: one(["-oL"], ["-o", "L"], ["--output=L"], ["-i0", "-oL", "-eL"], ["--out=0"], ["-o0", "--"], []),
  time: one([], ["-p"], ["-f", "%e"], ["-q"], ["--format=%e"], ["-a", "-o", "x"]),
};
const TEXTS = [
  "a", "a x 'y z'", "a && c && b", "c || a; b", "a | b", '"$0" "$@"', "$0 $1", 'exec "$@"', '"$1"', "a; c; b", "cd sub && a", "c && a || b",
  "a &", "c; a", "nice a", "sh -c 'c; a' || b", "a \\; b", "echo a", "a=b", "$0; a", "exec a", "eval a", "c | a && b", ": && a",
]; // biome-ignore format: a table
const shellOptions = one(
  ["-c"], ["-c"], ["-ec"], ["-e", "-c"], ["-c", "-e"], ["-o", "errexit", "-c"], ["-uc"], ["-c", "--"], ["-lc"], ["-xc"], ["-kc"], ["+x", "-c"],
  ["-fc"], ["-ic"], ["-nc"], ["-o", "pipefail", "-c"], ["-eo", "pipefail", "-c"], ["-s"], ["--command"], ["-Nc"], ["-rc"], ["-vc"],
); // biome-ignore format: a table
const positional = one([], [], ["a"], ["a", "b"], ["_", "a", "x y"], ["b", "-c"], ["eval", "a"], ["nice", "a"]);
const leaf = fc.tuple(fc.constantFrom(...LEAVES), fc.array(fc.constantFrom("x", "-n", "--", "A=1", "", "y z", "$0"), { maxLength: 2 }));

const argvs: fc.Arbitrary<readonly string[]> = fc.letrec<{ command: readonly string[] }>((tie) => ({
  command: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    leaf.map(([name, words]) => [name, ...words]),
    fc
      .constantFrom("env", "nice", "nohup", "timeout", "stdbuf", "time")
      .chain((name) => fc.tuple(OPTIONS[name] ?? one([]), tie("command")).map(([options, inner]) => [name, ...options, ...inner])),
    fc
      .tuple(fc.constantFrom("sh", "bash", "dash", "zsh", "fish"), shellOptions, fc.constantFrom(...TEXTS), positional)
      .map(([name, options, text, words]) => [name, ...options, text, ...words]),
    fc
      .tuple(shellOptions, fc.constantFrom(...TEXTS), positional)
      .map(([options, text, words]) => ["busybox", "sh", ...options, text, ...words]),
  ),
})).command;

/** What policy could start unasked: nothing in it is refused, unresolved or carried. */
function understood(argv: Argv): Step | null {
  const plan = planCommand({ form: { kind: "argv", argv }, cwd, hasStdin: false }, machine);
  if (!plan.ok || !plan.value.analysis.ok) return null;
  const { segments, asJudged } = plan.value.analysis;
  const covered = segments.every((segment) => segment.never === null && segment.carries === null && segment.program !== null);
  return covered && segments.length > 0 ? asJudged : null;
}

const END = "\u0001end";

function script(lists: readonly Argv[]): string {
  const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
  const play = (argv: Argv, index: number): string =>
    `export __n=${index}\n${argv.map(quoted).join(" ")}\n__s=$?\nwait\nprintf '%s\\0' ${index} 2 '${END}' $__s >&3\n`;
  return lists.map(play).join("");
}

interface Ran {
  readonly commands: readonly string[];
  readonly status: number;
}

async function record(lists: readonly Argv[]): Promise<readonly Ran[]> {
  const file = join(scratch.path, "script");
  writeFileSync(file, script(lists));
  const output = await new Promise<string>((resolve, reject) => {
    // fish makes its directories wherever HOME points.
    const env = { PATH: bin, HOME: scratch.path, LC_ALL: "C.UTF-8" };
    const child = spawn("/bin/sh", [file], { cwd, env, stdio: ["ignore", "ignore", "ignore", "pipe"] });
    const chunks: Buffer[] = [];
    child.on("error", reject);
    child.stdio[3]?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
  const commands = lists.map((): string[] => []);
  const statuses = lists.map(() => 0);
  const fields = output.split("\0");
  for (let at = 0; at + 1 < fields.length; ) {
    const [index, count] = [Number(fields[at]), Number(fields[at + 1])];
    const [name, second, ...words] = fields.slice(at + 2, at + 2 + count);
    if (name === END) statuses[index] = Number(second);
    else commands[index]?.push(JSON.stringify([name, second, ...words]));
    at += 2 + count;
  }
  return lists.map((_, index) => ({ commands: commands[index] ?? [], status: statuses[index] ?? 0 }));
}

const status = (name: string): number => (name === "c" ? 1 : 0);

test("whatever is looked through is what the real wrappers and shells start, and where", async () => {
  console.log(`wrappers: seed ${SEED} with ${installed.join(", ")}`);
  const sample = fc.sample(argvs, { numRuns: 6000, seed: SEED }).flatMap((words) => {
    const argv = toArgv(words);
    const step = argv === null ? null : understood(argv);
    return argv === null || step === null ? [] : [{ argv, step }];
  });
  const played = sample.slice(0, 600);
  expect(played.length).toBeGreaterThan(200);
  const found = await record(played.map(({ argv }) => argv));
  let refused = 0;
  for (const [index, { argv, step }] of played.entries()) {
    const planned = stepRuns(step, status).map((words) => JSON.stringify(words));
    const ran = found[index] ?? { commands: [], status: 0 };
    // A wrapper of this machine may not know an option that others have; then it starts nothing and says so.
    if (ran.commands.length === 0 && ran.status !== 0) refused += 1;
    else expect({ argv, ran: ran.commands.toSorted() }).toEqual({ argv, ran: planned.toSorted() });
  }
  expect(refused).toBeLessThan(played.length / 4);
}, 60_000);
