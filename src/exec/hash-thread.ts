/** Reads and hashes large files in a thread of its own, so that nobody else's run waits for them. Started when first needed. */
import type * as Crypto from "node:crypto";
import type * as Fs from "node:fs";
import type * as Threads from "node:worker_threads";
import { Worker } from "node:worker_threads";
import { HASH_QUEUE_FILES_MAX, HASH_THREAD_IDLE_MS } from "../core/limits.ts";
import { parseSha256, type Sha256 } from "../core/sha256.ts";

export interface HashJob {
  readonly fd: number;
  /** The whole file, told by fstat(2): other than this many bytes is a file that changed meanwhile. */
  readonly bytes: number;
  /** Whether the bytes are wanted too, for a sealed copy. */
  readonly keep: boolean;
}

export interface Hashed {
  readonly sha256: Sha256;
  /** Empty unless they were asked for. */
  readonly content: Uint8Array;
}

/** `"changed"`: the file grew or shrank while it was read. `"full"`: too many are waiting. `"failed"`: it could not be read. */
export type HashFailure = "changed" | "full" | "failed";

export interface HashThread {
  hash(job: HashJob): Promise<Hashed | HashFailure>;
  stop(): void;
}

interface Waiting {
  readonly job: HashJob;
  answer(outcome: Hashed | HashFailure): void;
}

export function createHashThread(): HashThread {
  const waiting: Waiting[] = [];
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  function next(): void {
    const [first] = waiting;
    if (first !== undefined) {
      const thread = started();
      // Somebody waits for this; an idle thread keeps no process alive.
      thread.ref();
      thread.postMessage(first.job, []);
      return;
    }
    worker?.unref();
    idle = setTimeout(stop, HASH_THREAD_IDLE_MS).unref();
  }

  function started(): Worker {
    clearTimeout(idle);
    if (worker !== null) return worker;
    // Nothing of our own environment or flags is its business.
    const fresh = new Worker(SOURCE, { eval: true, env: {}, execArgv: [], name: "hash" });
    fresh.on("message", (told: unknown) => {
      // The last word of a thread that was stopped meanwhile is no answer to what its successor was asked.
      if (worker !== fresh) return;
      waiting.shift()?.answer(read(told));
      next();
    });
    // Whatever ended it answers nobody any more; the next file starts another.
    fresh.on("error", () => lost(fresh));
    fresh.on("exit", () => lost(fresh));
    worker = fresh;
    return fresh;
  }

  function lost(which: Worker): void {
    if (worker !== which) return;
    worker = null;
    for (const each of waiting.splice(0)) each.answer("failed");
  }

  function stop(): void {
    clearTimeout(idle);
    const ending = worker;
    if (ending === null) return;
    lost(ending);
    void ending.terminate();
  }

  return {
    stop,
    hash(job) {
      if (waiting.length >= HASH_QUEUE_FILES_MAX) return Promise.resolve("full");
      return new Promise((resolve) => {
        waiting.push({ job, answer: resolve });
        if (waiting.length === 1) next();
      });
    },
  };
}

function read(told: unknown): Hashed | HashFailure {
  if (told === "changed") return told;
  if (typeof told !== "object" || told === null || !("sha256" in told) || !("content" in told)) return "failed";
  const sha256 = typeof told.sha256 === "string" ? parseSha256(told.sha256) : null;
  return sha256?.ok === true && told.content instanceof Uint8Array ? { sha256: sha256.value, content: told.content } : "failed";
}

/** What the thread does. It is handed over as text, so it may use nothing but its arguments. */
function serve(threads: typeof Threads, fs: typeof Fs, crypto: typeof Crypto): void {
  const piece = 1024 * 1024;
  const { parentPort } = threads;
  parentPort?.on("message", ({ fd, bytes, keep }: HashJob) => {
    try {
      const hash = crypto.createHash("sha256");
      // Unpooled, because it is given away. Room for one byte more than there should be, to see a file that grew.
      const room = Buffer.from(new ArrayBuffer(keep ? bytes + 1 : piece));
      let at = 0;
      for (;;) {
        const from = keep ? at : 0;
        const count = fs.readSync(fd, room, from, Math.min(piece, room.length - from), at);
        hash.update(room.subarray(from, from + count));
        at += count;
        if (count === 0 || at > bytes) break;
      }
      if (at !== bytes) return parentPort.postMessage("changed", []);
      const content = keep ? new Uint8Array(room.buffer, 0, bytes) : new Uint8Array(0);
      return parentPort.postMessage({ sha256: hash.digest("hex"), content }, keep ? [room.buffer] : []);
    } catch {
      return parentPort.postMessage("failed", []);
    }
  });
}

const SOURCE = `(${serve.toString()})(require("node:worker_threads"), require("node:fs"), require("node:crypto"))`;
