/** What is said to one peer. A peer that does not read slows down whoever talks to it, and in the end is dropped; it never grows the daemon. */
import type { Socket } from "node:net";
import { OUTGOING_BYTES_MAX, OUTGOING_PAUSE_BYTES } from "../core/limits.ts";

export interface Outbox {
  /** Says it at once, and settles when there is room for more. Settles as well when the connection ends: nobody waits for the dead. */
  send(line: Buffer): Promise<void>;
  backlogBytes(): number;
  isFull(): boolean;
  /** Called whenever there is room again. */
  onRoom(listener: () => void): void;
  end(): void;
}

export interface OutboxOptions {
  readonly stallMs: number;
  /** The peer is beyond waiting for; must end the connection. */
  readonly giveUp: () => void;
  /** The peer does not keep up, and what is kept for it adds to what is kept for others. */
  readonly onFull: () => void;
}

export function outboxOf(socket: Socket, options: OutboxOptions): Outbox {
  const waiting: (() => void)[] = [];
  const listeners: (() => void)[] = [];
  let ended = false;
  let stall: NodeJS.Timeout | null = null;

  const isFull = (): boolean => !ended && socket.writableLength >= OUTGOING_PAUSE_BYTES;
  const release = (): void => {
    if (isFull()) return;
    for (const settle of waiting.splice(0)) settle();
    if (!ended) for (const listener of listeners) listener();
  };
  // Every write that leaves is progress: only a peer that takes nothing at all runs into this.
  const watch = (): void => {
    if (stall !== null) clearTimeout(stall);
    stall = ended || socket.writableLength === 0 ? null : setTimeout(options.giveUp, options.stallMs).unref();
  };

  return {
    backlogBytes: () => (ended ? 0 : socket.writableLength),
    isFull,
    onRoom: (listener) => void listeners.push(listener),
    async send(line) {
      if (ended || !socket.writable) return;
      socket.write(line, () => {
        watch();
        release();
      });
      if (stall === null) watch();
      if (socket.writableLength > OUTGOING_BYTES_MAX) return options.giveUp();
      if (!isFull()) return;
      options.onFull();
      if (isFull()) await new Promise<void>((settle) => void waiting.push(settle));
    },
    end() {
      ended = true;
      watch();
      release();
    },
  };
}
