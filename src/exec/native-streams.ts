/** A run's streams with native code: kernel pipes, and processes started by posix_spawn on what is held. */
import { closeSync, openSync } from "node:fs";
import type { Denial } from "../core/denial.ts";
import { OUTPUT_LISTEN_AFTER_MS } from "../core/limits.ts";
import type { Native } from "../native/native.ts";
import { errnoName } from "../native/system-error.ts";
import type { ChildLimit } from "./child-limit.ts";
import type { Credentials } from "./credentials.ts";
import type { LaunchIo } from "./exec-host.ts";
import { createOutputReader } from "./output-reader.ts";
import type { Ends, Manner, Pipe, RunStreams, Started } from "./run-streams.ts";
import { spawnDenial } from "./spawn-denial.ts";
import type { Spawned, Spawning } from "./spawning.ts";
import type { Start } from "./start.ts";

export interface NativeParts {
  readonly native: Native;
  readonly spawning: Spawning;
  readonly limit: ChildLimit;
  /** Who the commands are, when that is not ourselves: `tools.exec.runAs`. */
  readonly credentials: Credentials | null;
  /** `/dev/null`, open for reading and writing, at 100 or above. */
  readonly nothing: number;
}

/** What children get must lie above all numbers that they get it under: a dup2 onto a source that is still needed swaps files. */
export const OWN_DESCRIPTOR_FIRST = 100;

export function openNothing(native: Native): number {
  const low = openSync("/dev/null", "r+");
  try {
    return native.duplicateFrom(low, OWN_DESCRIPTOR_FIRST);
  } finally {
    closeSync(low);
  }
}

export function openNativeStreams({ native, spawning, limit, credentials, nothing }: NativeParts, io: LaunchIo): RunStreams {
  const { stdin, out, err } = limit.within(() => openDescriptors(native, io.stdin, nothing));
  let isWriting = true;
  let left = 2;
  let tellEnded: (() => void) | null = null;
  let listening: NodeJS.Timeout | undefined;
  const onEnd = (): void => {
    left -= 1;
    if (left > 0) return;
    clearTimeout(listening);
    tellEnded?.();
  };
  const allBorn = (): Promise<unknown> | null => spawning.allBorn();
  const readers = [
    createOutputReader(native, out.readEnd, { take: (bytes) => io.output("stdout", bytes), onEnd, allBorn }),
    createOutputReader(native, err.readEnd, { take: (bytes) => io.output("stderr", bytes), onEnd, allBorn }),
  ];

  function listenSoon(): void {
    listening ??= setTimeout(() => {
      for (const reader of readers) reader.listen();
    }, OUTPUT_LISTEN_AFTER_MS);
  }

  function start(start: Start, ends: Ends, manner: Manner): Started | Denial | Promise<Started | Denial> {
    const request = {
      file: start.file,
      argv: start.argv,
      environment: start.environment,
      cwdFd: start.cwd.fd,
      ...(credentials === null ? {} : { credentials }),
      // All of 0 to 2 explicitly: Node marks its own close-on-exec. The high numbers come last, when no source is needed any more.
      descriptors: [
        { ours: ends.stdin, childs: 0 },
        { ours: ends.stdout === "output" ? out.writeEnd : ends.stdout, childs: 1 },
        { ours: err.writeEnd, childs: 2 },
        ...start.passed,
      ],
    };
    const told = (outcome: Spawned): Started | Denial => {
      listenSoon();
      return "errno" in outcome ? spawnDenial(errnoName(outcome.errno), start.name) : outcome;
    };
    const spawned = spawning.start(request, manner);
    return spawned instanceof Promise ? spawned.then(told) : told(spawned);
  }

  function closeWriting(): void {
    if (!isWriting) return;
    isWriting = false;
    for (const { writeEnd } of [out, err]) closeSync(writeEnd);
    if (io.stdin !== null) closeSync(stdin);
  }

  return {
    start,
    pipe: () => limit.within(() => native.pipe()),
    stdin,
    nothing,
    complain(message) {
      // Past the pipe, which may be full: writing there would wait for ourselves.
      const taken = io.output("stderr", Buffer.from(`countersign: ${message}\n`));
      taken?.catch(() => undefined);
    },
    closeWriting,
    readNow() {
      for (const reader of readers) reader.readNow();
    },
    haveEnded: () => left === 0,
    waitForReader: () => readers.some((reader) => reader.waitsForReader()),
    whenEnded: () =>
      new Promise((resolve) => {
        if (left === 0) resolve();
        else tellEnded = resolve;
      }),
    abandon() {
      clearTimeout(listening);
      closeWriting();
      for (const reader of readers) reader.abandon();
    },
  };
}

/** All or none: a table that is full must not lose the first of them for ever. */
function openDescriptors(
  native: Native,
  input: Uint8Array | null,
  nothing: number,
): { readonly stdin: number; readonly out: Pipe; readonly err: Pipe } {
  const opened: number[] = [];
  const pipe = (): Pipe => {
    const made = native.pipe();
    opened.push(made.readEnd, made.writeEnd);
    native.readWithoutWaiting(made.readEnd);
    return made;
  };
  try {
    const stdin = input === null ? nothing : native.sealedFile("stdin", input, "data");
    if (stdin !== nothing) opened.push(stdin);
    return { stdin, out: pipe(), err: pipe() };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw error;
  }
}
