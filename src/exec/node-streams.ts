/** A run's streams without native code: Node's own spawn, on descriptors where the platform has /proc. */
import { ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import type { Denial } from "../core/denial.ts";
import { errnoOf } from "../store/io-denial.ts";
import type { LaunchIo } from "./exec-host.ts";
import { privateFile, privatePipe } from "./private-files.ts";
import type { Ends, Manner, RunStreams, Started } from "./run-streams.ts";
import { signalNumber } from "./signals.ts";
import { spawnDenial } from "./spawn-denial.ts";
import type { PassedDescriptor, Start } from "./start.ts";

export interface NodeParts {
  readonly stateDirectory: string;
  /** `/dev/null`, open for reading and writing. */
  readonly nothing: number;
  /** Whether /proc names our descriptors. */
  readonly canPin: boolean;
}

export function openNodeStreams({ stateDirectory, nothing, canPin }: NodeParts, io: LaunchIo): RunStreams {
  const stdin = io.stdin === null ? nothing : privateFile(stateDirectory, io.stdin);
  const open = new Set<Readable>();
  let isWriting = true;
  let waitingReaders = 0;
  let isDeaf = false;
  let tellEnded: (() => void) | null = null;

  function haveEnded(): boolean {
    return !isWriting && open.size === 0;
  }

  function forward(stream: "stdout" | "stderr", from: Readable | null): void {
    if (from === null) return;
    open.add(from);
    from.on("data", (chunk: Buffer) => {
      const taken = isDeaf ? undefined : io.output(stream, chunk);
      if (taken === undefined) return;
      waitingReaders += 1;
      from.pause();
      const goOn = (): void => {
        waitingReaders -= 1;
        from.resume();
      };
      taken.then(goOn, goOn);
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      open.delete(from);
      if (haveEnded()) tellEnded?.();
    });
  }

  /** Node tells of some errors by an event and throws the others, ETXTBSY among them. */
  function spawned(start: Start, ends: Ends): unknown {
    const aside = setAside(start, canPin);
    try {
      return spawn(aside.file, start.argv.slice(1), {
        argv0: start.argv[0],
        cwd: aside.cwd,
        env: Object.fromEntries(
          start.environment.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
        ),
        stdio: [ends.stdin, ends.stdout === "output" ? "pipe" : ends.stdout, "pipe", ...slots(start.passed)],
        detached: true,
      });
    } catch (error) {
      return error;
    } finally {
      for (const fd of aside.opened) closeSync(fd);
    }
  }

  function start(start: Start, ends: Ends, { objection }: Manner): Started | Denial | Promise<Denial> {
    const why = objection();
    if (why !== null) return why;
    const child = spawned(start, ends);
    if (!(child instanceof ChildProcess)) return Promise.resolve(spawnDenial(errnoOf(child) ?? "unknown", start.name));
    if (child.pid === undefined) return failure(child, start.name);
    forward("stdout", child.stdout);
    forward("stderr", child.stderr);
    return { pid: child.pid, ended: endOf(child) };
  }

  return {
    start,
    pipe: () => privatePipe(stateDirectory),
    stdin,
    nothing,
    complain(message) {
      io.output("stderr", Buffer.from(`countersign: ${message}\n`))?.catch(() => undefined);
    },
    closeWriting() {
      if (!isWriting) return;
      isWriting = false;
      if (stdin !== nothing) closeSync(stdin);
      if (haveEnded()) tellEnded?.();
    },
    readNow: () => undefined,
    haveEnded,
    waitForReader: () => waitingReaders > 0,
    whenEnded: () =>
      new Promise((resolve) => {
        if (haveEnded()) resolve();
        else tellEnded = resolve;
      }),
    abandon() {
      isDeaf = true;
      this.closeWriting();
      for (const stream of open) stream.destroy();
    },
  };
}

/**
 * The child looks for its program and its directory when its descriptors are in their places already. If one of those places is where we
 * hold the program, another file would be started, so it is opened once more, under a number that is not taken.
 */
function setAside(
  { file, cwd, passed }: Start,
  canPin: boolean,
): { readonly file: string; readonly cwd: string; readonly opened: number[] } {
  const opened: number[] = [];
  const clear = (path: string): string => {
    const fd = Number(/^\/proc\/self\/fd\/(\d+)$/.exec(path)?.[1] ?? -1);
    if (!passed.some(({ childs }) => childs === fd)) return path;
    opened.push(openSync(path, "r"));
    return clear(`/proc/self/fd/${opened.at(-1)}`);
  };
  return { file: clear(file), cwd: canPin ? clear(`/proc/self/fd/${cwd.fd}`) : cwd.path, opened };
}

/** Node names descriptors by their place in a list. */
function slots(passed: readonly PassedDescriptor[]): readonly (number | "ignore")[] {
  const highest = Math.max(2, ...passed.map(({ childs }) => childs));
  return Array.from({ length: highest - 2 }, (_, at) => passed.find(({ childs }) => childs === at + 3)?.ours ?? "ignore");
}

function endOf(child: ChildProcess): Started["ended"] {
  return new Promise((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal: signal === null ? null : signalNumber(signal) }));
  });
}

function failure(child: ChildProcess, name: string): Promise<Denial> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(spawnDenial(errnoOf(error) ?? "unknown", name)));
  });
}
