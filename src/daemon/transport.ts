/**
 * One socket as lines in and lines out, and the two ways it ends: `finish` says a last word and lets the peer finish its own, `close` does
 * not wait. Reading stops while the peer does not read.
 */
import type { Socket } from "node:net";
import { type CancelSignal, createCancellation } from "../core/cancellation.ts";
import type { Denial } from "../core/denial.ts";
import { INCOMING_LONG_BYTES, LINES_PER_TURN_MAX } from "../core/limits.ts";
import type { Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";
import { lineSplitter } from "../wire/lines.ts";
import { outboxOf } from "./outbox.ts";
import { fdOf } from "./socket-fd.ts";

export interface Transport {
  /** Fires when the peer is gone for good, and never for one that has only finished talking. */
  readonly signal: CancelSignal;
  isOpen(): boolean;
  /** The peer has finished talking, and every line of it was taken. */
  isInputOver(): boolean;
  backlogBytes(): number;
  unfinished(): Unfinished;
  send(line: Buffer): Promise<void>;
  /** Takes no further line. */
  hold(): void;
  /** A half-close and a close look alike to Node until a write fails, so the kernel is asked, again and again. Does nothing without native code. */
  watchForHangup(): void;
  /** Takes the peer for gone, but leaves answers that are ready a moment to go out. */
  abandon(): void;
  finish(lastLine: Buffer | null): void;
  close(): void;
}

/** What a peer has sent that is no line yet, and for how long it has been a lot. */
export interface Unfinished {
  readonly bytes: number;
  readonly longForMs: number;
}

export interface TransportOptions {
  readonly native: Native | null;
  readonly timing: TransportTiming;
  /** Whether one more connection may take its time to close. */
  mayLinger(): boolean;
  onLine(line: Result<string, Denial>): void;
  onInputOver(): void;
  /** The peer does not keep up; see Outbox. */
  onFull(): void;
  /** The peer has begun a long line, and what is kept of it adds to what is kept for others. */
  onLong(): void;
  onClosed(): void;
}

export interface TransportTiming {
  readonly hangupPollMs: number;
  readonly stallMs: number;
  readonly lingerMs: number;
}

export function transportOf(socket: Socket, options: TransportOptions): Transport {
  const { native, timing } = options;
  const splitter = lineSplitter();
  const gone = createCancellation();
  const outbox = outboxOf(socket, { stallMs: timing.stallMs, giveUp: () => close(), onFull: () => options.onFull() });
  let state: "open" | "closing" | "closed" = "open";
  let holding = false;
  /** Others have their turn. */
  let resting = false;
  let peerEnded = false;
  let inputOver = false;
  let longSinceMs: number | null = null;
  let poll: NodeJS.Timeout | null = null;
  let linger: NodeJS.Timeout | null = null;

  function close(): void {
    if (state === "closed") return;
    state = "closed";
    if (poll !== null) clearTimeout(poll);
    if (linger !== null) clearTimeout(linger);
    outbox.end();
    splitter.end();
    socket.destroy();
    gone.cancel();
    options.onClosed();
  }

  function closeSoon(): void {
    linger ??= setTimeout(close, timing.lingerMs).unref();
  }

  function finish(lastLine: Buffer | null): void {
    if (state !== "open") return;
    const patient = options.mayLinger();
    state = "closing";
    // Closing with unread input resets the peer, unix(7), and a reset could cost it our last word: so what it still sends is read and dropped.
    socket.resume();
    socket.end(lastLine ?? Buffer.alloc(0), () => {
      if (!patient || peerEnded) close();
    });
    outbox.end();
    splitter.end();
    closeSoon();
    gone.cancel();
  }

  function watchForHangup(): void {
    const fd = fdOf(socket);
    if (native === null || fd === null || state !== "open") return;
    if (native.hasHungUp(fd)) return close();
    if (poll !== null) clearTimeout(poll);
    poll = setTimeout(watchForHangup, timing.hangupPollMs).unref();
  }

  const mayTake = (): boolean => state === "open" && !holding && !resting && !outbox.isFull();

  function pump(): void {
    for (let taken = 0; taken < LINES_PER_TURN_MAX && mayTake(); taken += 1) {
      const line = splitter.next();
      if (line === null) return ranDry();
      // Every line that ends is progress: only a peer that finishes none has held a lot for long.
      longSinceMs = null;
      options.onLine(line);
    }
    if (state === "open") socket.pause();
    if (!mayTake()) return;
    resting = true;
    setImmediate(() => {
      resting = false;
      pump();
    });
  }

  function ranDry(): void {
    if (!peerEnded) return void socket.resume();
    if (inputOver) return;
    inputOver = true;
    options.onInputOver();
  }

  function noteLong(): void {
    if (splitter.heldBytes() < INCOMING_LONG_BYTES) return;
    longSinceMs ??= performance.now();
    options.onLong();
  }

  outbox.onRoom(pump);
  socket.on("data", (chunk) => {
    if (state !== "open") return;
    splitter.push(chunk);
    pump();
    noteLong();
  });
  socket.on("end", () => {
    peerEnded = true;
    pump();
  });
  socket.on("error", close);
  socket.on("close", close);

  return {
    signal: gone.signal,
    isOpen: () => state === "open",
    isInputOver: () => inputOver,
    backlogBytes: () => outbox.backlogBytes(),
    unfinished: () => ({ bytes: splitter.heldBytes(), longForMs: longSinceMs === null ? 0 : performance.now() - longSinceMs }),
    send: async (line) => {
      if (state === "open") await outbox.send(line);
    },
    hold: () => {
      holding = true;
    },
    watchForHangup,
    abandon: () => {
      gone.cancel();
      closeSoon();
    },
    finish,
    close,
  };
}
