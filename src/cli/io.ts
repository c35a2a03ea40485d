/** The real terminal, made out of the process. Only main.ts asks for it. */
import type { Io } from "./command.ts";
import { wantsColour } from "./paint.ts";

const COLUMNS_WITHOUT_TERMINAL = 80;
const COLUMNS_MIN = 20;

export function processIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  const interrupted = lazyInterruption();
  for (const stream of [stdout, stderr]) stream.on("error", (error: Error) => onWriteError(error, interrupted));
  return {
    env,
    cwd: process.cwd(),
    stdin,
    stdout,
    stderr,
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    columns: () => Math.max(COLUMNS_MIN, stdout.isTTY ? stdout.columns : COLUMNS_WITHOUT_TERMINAL),
    colour: wantsColour(env, stdout.isTTY),
    get signal() {
      return interrupted().signal;
    },
  };
}

/** Everything written has left the process; what a pipe has not taken yet would be lost by process.exit(). */
export async function flush(io: Io): Promise<void> {
  await Promise.all([io.stdout, io.stderr].map((stream) => new Promise<void>((done) => void stream.write("", () => done()))));
}

/**
 * Signals are caught only once somebody asked for `signal`: a command that does not look at it ends by Ctrl-C as any program does. A second
 * one ends the process at once, for the person who will not wait for a tidy end.
 */
function lazyInterruption(): () => AbortController {
  let controller: AbortController | null = null;
  return () => {
    if (controller !== null) return controller;
    const made = new AbortController();
    controller = made;
    for (const [signal, exitCode] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ] as const) {
      process.on(signal, () => {
        if (made.signal.aborted) process.exit(exitCode);
        made.abort(signal);
      });
    }
    return made;
  };
}

/** `countersign pending | head` has said enough: the reader's leaving is a reason to stop, not an error to report. */
function onWriteError(error: Error, interrupted: () => AbortController): void {
  if (!("code" in error) || error.code !== "EPIPE") throw error;
  interrupted().abort("SIGPIPE");
}
