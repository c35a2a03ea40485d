/** The real terminal, made out of the process. Only main.ts asks for it. */
import { closeSync, openSync } from "node:fs";
import { type Io, UsageError } from "./command.ts";
import { exitCodeOfSignal } from "./exit-code.ts";
import { wantsColour } from "./paint.ts";
import { columnsOfStream } from "./tell.ts";

export function processIo(): Io & { hasLostTerminal(): boolean } {
  const { stdin, stdout, stderr, env } = process;
  const interruption = createInterruption();
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: Error) => {
      // `countersign pending | head` has heard enough: the reader's leaving is a reason to stop, not an error to report.
      if (!("code" in error) || error.code !== "EPIPE") throw error;
      interruption.interrupt("SIGPIPE");
    });
  }
  return {
    env,
    get cwd() {
      return currentDirectory();
    },
    stdin,
    stdout,
    stderr,
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    columns: () => columnsOfStream(stdout),
    colour: wantsColour(env, stdout.isTTY),
    get signal() {
      interruption.catchSignals();
      return interruption.signal;
    },
    hasLostTerminal: () => interruption.signal.reason === "SIGHUP" && !hasTerminal(),
  };
}

/** tty(4): opening the controlling terminal fails once it was hung up. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError("the current directory is gone; go to one that is there");
  }
}

/** Everything written has left the process; what a pipe has not taken yet would be lost by process.exit(). */
export async function flush(io: Io): Promise<void> {
  await Promise.all([io.stdout, io.stderr].map((stream) => new Promise<void>((done) => void stream.write("", () => done()))));
}

interface Interruption {
  readonly signal: AbortSignal;
  interrupt(by: NodeJS.Signals): void;
  /**
   * Only once somebody asked for `signal`: a command that does not look at it ends by Ctrl-C as any program does, and the daemon has its
   * own way to end. A second signal ends the process at once, for the person who will not wait for a tidy end.
   */
  catchSignals(): void;
}

function createInterruption(): Interruption {
  const controller = new AbortController();
  let catching = false;
  return {
    signal: controller.signal,
    interrupt: (by) => controller.abort(by),
    catchSignals: () => {
      if (catching) return;
      catching = true;
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        process.on(name, () => {
          if (controller.signal.aborted) process.exit(exitCodeOfSignal(name));
          controller.abort(name);
        });
      }
    },
  };
}
