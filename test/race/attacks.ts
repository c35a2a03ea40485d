/** The attacks, each as two moves: to the evil version and back to the good one. The attacker makes them in turn as fast as it can. */
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Arena, directoryArena, programArena, scriptArena, shadowArena } from "./arena.ts";
import { exchanger } from "./system-calls.ts";

export interface Moves {
  toEvil(): void;
  toGood(): void;
  /** Where a move can be refused for a moment: `true` once the good version is certainly back. */
  settled?(): boolean;
}

export interface Attack {
  readonly name: string;
  readonly arena: (directory: string) => Arena;
  readonly moves: (directory: string) => Moves;
  /** Waits until somebody looks at this file, and moves then; without it the moves follow each other blindly. */
  readonly trigger?: (directory: string) => string;
  /** Rests up to so long after each move: a program that is always open for writing could never be started at all. */
  readonly restMsMax?: number;
}

const script = (directory: string, version: "d" | "e"): string => join(directory, version, "s.sh");
const tool = (directory: string, version: "d" | "e"): string => join(directory, version, "tool");

export const ATTACKS: readonly Attack[] = [
  { name: "rename exchange", arena: scriptArena, moves: (at) => exchange(script(at, "d"), script(at, "e")) },
  { name: "rename over", arena: scriptArena, moves: (at) => renameOver(script(at, "d"), script(at, "e")) },
  { name: "in-place write", arena: scriptArena, moves: (at) => writeInPlace(script(at, "d"), script(at, "e")) },
  { name: "parent directory exchange", arena: scriptArena, moves: (at) => exchange(join(at, "d"), join(at, "e")) },
  { name: "cwd symlink flip", arena: (at) => directoryArena(at, true), moves: flipLink },
  { name: "cwd exchange", arena: (at) => directoryArena(at, false), moves: (at) => exchange(join(at, "d"), join(at, "e")) },
  { name: "executable swap", arena: programArena, moves: (at) => exchange(tool(at, "d"), tool(at, "e")) },
  { name: "executable in place", arena: programArena, moves: (at) => writeInPlace(tool(at, "d"), tool(at, "e")), restMsMax: 2 },
  { name: "PATH shadow", arena: shadowArena, moves: shadow },
  {
    name: "inotify-triggered",
    arena: scriptArena,
    moves: (at) => exchange(script(at, "d"), script(at, "e")),
    trigger: (at) => script(at, "d"),
  },
];

function exchange(good: string, evil: string): Moves {
  const swap = exchanger();
  return { toEvil: () => swap(good, evil), toGood: () => swap(good, evil) };
}

function renameOver(target: string, other: string): Moves {
  const [good, evil] = [readFileSync(target), readFileSync(other)];
  const put = (bytes: Buffer): void => {
    writeFileSync(`${target}.new`, bytes, { mode: 0o755 });
    renameSync(`${target}.new`, target);
  };
  return { toEvil: () => put(evil), toGood: () => put(good) };
}

function writeInPlace(target: string, other: string): Moves {
  const [good, evil] = [readFileSync(target), readFileSync(other)];
  const put = (bytes: Buffer): boolean => {
    const fd = openUnlessRunning(target);
    if (fd === null) return false;
    writeSync(fd, bytes, 0, bytes.length, 0);
    closeSync(fd);
    return true;
  };
  return { toEvil: () => void put(evil), toGood: () => void put(good), settled: () => put(good) };
}

/** A program that is running cannot be opened for writing (ETXTBSY); the next move tries again. */
function openUnlessRunning(path: string): number | null {
  try {
    return openSync(path, constants.O_WRONLY);
  } catch {
    return null;
  }
}

function flipLink(directory: string): Moves {
  const point = (target: string): void => {
    symlinkSync(target, join(directory, "next"));
    renameSync(join(directory, "next"), join(directory, "cur"));
  };
  return { toEvil: () => point("e"), toGood: () => point("d") };
}

function shadow(directory: string): Moves {
  const first = join(directory, "shadow", "tool");
  return {
    toEvil: () => {
      if (!existsSync(first)) linkSync(tool(directory, "e"), first);
    },
    toGood: () => rmSync(first, { force: true }),
  };
}
