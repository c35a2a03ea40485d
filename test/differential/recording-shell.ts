/**
 * Runs texts in a real shell in which every command is a function that writes its words down. Nothing else can be started: PATH leads
 * nowhere, names are spelt with letters that no program's path is made of, and the process has no privilege, no room for files and little
 * time.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../support/scratch.ts";
import type { Ending } from "./expected-runs.ts";

export interface RecordingShell {
  readonly name: string;
  /** Whether anything can be said about a command of this name. */
  plays(command: string): boolean;
  endingOf(command: string): Ending;
  /** What each text ran, by place; `null` where the shell ended before it had done with the text. */
  record(texts: readonly string[]): Promise<readonly Recorded[]>;
}
export type Recorded = readonly (readonly string[])[] | null;

interface Kind {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** How it is told what to record; the same for all that speak the language of sh. */
  readonly script: (kind: Kind, texts: readonly string[]) => string;
  /** The function that it calls for a command it cannot find. Without one it says so itself and goes on. */
  readonly handler: string | null;
}

const KINDS: readonly Kind[] = [
  { name: "bash", argv: ["/bin/bash", "--norc", "--noprofile"], handler: "command_not_found_handle", script: shScript },
  { name: "dash", argv: ["/bin/dash"], handler: null, script: shScript },
  { name: "zsh", argv: ["/bin/zsh", "-f"], handler: "command_not_found_handler", script: shScript },
  { name: "busybox", argv: ["/bin/busybox", "sh"], handler: null, script: shScript },
  { name: "fish", argv: ["/usr/bin/fish", "--no-config"], handler: null, script: fishScript },
];

const LETTERS = ["a", "b", "c"];
const KNOWN: ReadonlySet<string> = new Set(
  LETTERS.flatMap((x) => [x, ...LETTERS.flatMap((y) => [x + y, ...LETTERS.map((z) => x + y + z)])]),
);
const END = "\u0001end";

/** The shells of this machine, around one scratch directory that must be removed in the end. */
export function recordingShells(): { readonly shells: readonly RecordingShell[]; readonly remove: () => void } {
  const scratch = scratchDirectory();
  // Somebody without rights must be able to look around here, and there must be something for a pattern to match.
  chmodSync(scratch.path, 0o755);
  const cwd = join(scratch.path, "here");
  mkdirSync(cwd);
  for (const name of ["a", "ab", "c1", "0"]) writeFileSync(join(cwd, name), "");
  const shells = KINDS.filter(({ argv }) => existsSync(argv[0])).map((kind): RecordingShell => {
    let batch = 0;
    return {
      name: kind.name,
      // fish starts nothing of a pipeline in which it misses a command.
      plays: (command) => kind.name !== "fish" || KNOWN.has(command),
      endingOf: (command) => endingIn(kind, command),
      async record(texts) {
        batch += 1;
        const file = join(scratch.path, `${kind.name}-${batch % 4}`);
        writeFileSync(file, kind.script(kind, texts), { mode: 0o644 });
        const found = parse(await run([...kind.argv, file], cwd));
        return texts.map((_, index) => (found.ended.has(index) ? (found.byText.get(index) ?? []) : null));
      },
    };
  });
  return { shells, remove: () => scratch.remove() };
}

function endingIn({ handler }: Kind, command: string): Ending {
  const recorded = KNOWN.has(command) || (handler !== null && !command.includes("/"));
  return { recorded, status: recorded && !command.startsWith("c") ? 0 : 1 };
}

function shScript({ handler }: Kind, texts: readonly string[]): string {
  return [
    "PATH=/nowhere",
    // One write for a whole record, so that two sides of a pipe cannot mix theirs.
    `__r() { printf '%s\\0' "$__n" "$#" "$@" >&3; }`,
    `__k() { __r "$@"; case $1 in c*) return 1;; esac; return 0; }`,
    ...[...KNOWN].map((name) => `${name}() { __k ${name} "$@"; }`),
    handler === null ? "" : `${handler}() { __k "$@"; }`,
    ...texts.map((text, index) => `__n=${index}\neval ${quoted(text)}\nwait\n__r '${END}'`),
    "",
  ].join("\n");
}

function fishScript(_kind: Kind, texts: readonly string[]): string {
  const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
  return [
    "set -g PATH /nowhere",
    `function __r; printf '%s\\0' $__n (count $argv) $argv >&3; end`,
    `function __k; __r $argv; string match -q 'c*' -- $argv[1]; and return 1; return 0; end`,
    ...[...KNOWN].map((name) => `function ${name}; __k ${name} $argv; end`),
    ...texts.map((text, index) => `set -g __n ${index}\neval ${fishQuoted(text)}\nwait\n__r '${END}'`),
    "",
  ].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function run(argv: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program = "", ...args] = contained(argv);
    const child = spawn(program, args, { cwd, env: { LC_ALL: "C.UTF-8" }, stdio: ["ignore", "ignore", "ignore", "pipe"] });
    const chunks: Buffer[] = [];
    child.on("error", reject);
    child.stdio[3]?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
}

/** No file may grow, no core is left, half a minute of work, and nobody's rights where we have any to drop. */
function contained(argv: readonly string[]): readonly string[] {
  const drops = process.getuid?.() === 0 && existsSync("/usr/bin/setpriv");
  const nobody = drops ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"] : [];
  return ["/bin/sh", "-c", 'ulimit -f 0; ulimit -c 0; ulimit -t 30; exec "$@"', "sh", ...nobody, ...argv];
}

interface Parsed {
  readonly byText: ReadonlyMap<number, readonly (readonly string[])[]>;
  readonly ended: ReadonlySet<number>;
}

function parse(output: string): Parsed {
  const fields = output.split("\0");
  const byText = new Map<number, (readonly string[])[]>();
  const ended = new Set<number>();
  for (let at = 0; at + 1 < fields.length; ) {
    const [index, count] = [Number(fields[at]), Number(fields[at + 1])];
    if (!Number.isInteger(index) || !Number.isInteger(count)) break;
    const argv = fields.slice(at + 2, at + 2 + count);
    at += 2 + count;
    if (argv[0] === END) ended.add(index);
    else byText.set(index, [...(byText.get(index) ?? []), argv]);
  }
  return { byText, ended };
}
