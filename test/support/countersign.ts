/** Drives the compiled command line as a person would: words in, bytes and an exit code out. */
import { type ChildProcess, spawn } from "node:child_process";
import { MAIN } from "./program.ts";

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: Buffer;
  readonly stderrBytes: Buffer;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string | Buffer;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has said so far. */
  said(): string;
  /** Waits until standard output or error holds this. */
  says(text: string | RegExp): Promise<void>;
}

/** Every command that a test forgot, ended with the test process. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Nothing of the machine's own environment: no home, no settings, no colour. */
export function start(words: readonly string[], surroundings: Surroundings = {}): Started {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...surroundings.env },
    ...(surroundings.cwd === undefined ? {} : { cwd: surroundings.cwd }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  alive.add(child);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const waiting = new Set<() => void>();
  const take = (into: Buffer[]) => (chunk: Buffer) => {
    into.push(chunk);
    for (const look of waiting) look();
  };
  child.stdout.on("data", take(stdout));
  child.stderr.on("data", take(stderr));
  child.stdin.on("error", () => {});
  child.stdin.end(surroundings.input ?? "");
  const said = (): string => Buffer.concat([...stdout, ...stderr]).toString("utf8");
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (exitCode, signal) => {
      alive.delete(child);
      const [stdoutBytes, stderrBytes] = [Buffer.concat(stdout), Buffer.concat(stderr)];
      resolve({ exitCode, signal, stdout: stdoutBytes.toString("utf8"), stderr: stderrBytes.toString("utf8"), stdoutBytes, stderrBytes });
      for (const look of waiting) look();
    });
  });
  const says = (text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const here = typeof text === "string" ? said().includes(text) : text.test(said());
        if (!here && child.exitCode === null && child.signalCode === null) return;
        waiting.delete(look);
        if (here) resolve();
        else reject(new Error(`it ended without saying ${String(text)}:\n${said()}`));
      };
      waiting.add(look);
      look();
    });
  return { child, ended, said, says };
}

export async function countersign(words: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return start(words, surroundings).ended;
}
