/** Reads one output of a run from its pipe and hands it on, no faster than it is taken. */
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { OUTPUT_CHUNK_BYTES, OUTPUT_LOOKS_MAX } from "../core/limits.ts";
import type { Native } from "../native/native.ts";

export interface OutputReader {
  /** From now on whatever comes is handed on as it comes. */
  listen(): void;
  readNow(): void;
  waitsForReader(): boolean;
  abandon(): void;
}

/** One for all: what is read into it is copied at once. */
const CHUNK = Buffer.allocUnsafeSlow(OUTPUT_CHUNK_BYTES);

export interface OutputTakers {
  readonly take: (bytes: Uint8Array) => void | Promise<void>;
  readonly onEnd: () => void;
  /** See Spawning: whoever is just being started has copies of everything. */
  readonly allBorn: () => Promise<unknown> | null;
}

/** `fd` must not block: a process that is no child of ours may hold the other end open for ever. */
export function createOutputReader(native: Pick<Native, "read">, fd: number, { take, onEnd, allBorn }: OutputTakers): OutputReader {
  let socket: Socket | null = null;
  let hasEnded = false;
  let waitsForReader = false;
  let isDeaf = false;
  let looks = 0;
  let isLooking = false;

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    onEnd();
  }

  function give(bytes: Uint8Array): void {
    const taken = isDeaf ? undefined : taking(bytes);
    if (taken === undefined) return;
    waitsForReader = true;
    socket?.pause();
    const goOn = (): void => {
      waitsForReader = false;
      if (socket === null) listen();
      else socket.resume();
    };
    taken.then(goOn, () => {
      // Nobody listens any more. The child is not to be held up for that.
      isDeaf = true;
      goOn();
    });
  }

  function taking(bytes: Uint8Array): void | Promise<void> {
    try {
      return take(bytes);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function listen(): void {
    if (socket !== null || hasEnded || waitsForReader) return;
    socket = new Socket({ fd, readable: true, writable: false });
    socket.on("data", give);
    socket.on("error", () => undefined);
    socket.on("close", end);
  }

  const mayRead = (): boolean => socket === null && !hasEnded && !waitsForReader;

  function readNow(): void {
    while (mayRead() && !isLooking) {
      const count = native.read(fd, CHUNK);
      if (count === null) return lookAgain();
      if (count === 0) {
        closeSync(fd);
        return end();
      }
      give(Uint8Array.prototype.slice.call(CHUNK, 0, count));
    }
  }

  /**
   * A child that is just being started has copies of everything until it is its own program, and lets go of them a moment after that. Who
   * starts later has none of what is closed by now, so the looks are few.
   */
  function lookAgain(): void {
    looks += 1;
    if (looks > OUTPUT_LOOKS_MAX) return listen();
    isLooking = true;
    const look = (): void => {
      isLooking = false;
      readNow();
    };
    const born = looks === 1 ? allBorn() : null;
    if (born === null) setImmediate(look);
    else void born.then(look);
  }

  return {
    listen,
    readNow,
    waitsForReader: () => waitsForReader,
    abandon() {
      isDeaf = true;
      if (socket !== null) socket.destroy();
      else if (!hasEnded) closeSync(fd);
      end();
    },
  };
}
