/** The terminal itself: raw keys in, whole frames out. Whatever happens, it is left as it was found. */

import { ESCAPE_WAIT_MS } from "../../core/limits.ts";
import type { Io } from "../command.ts";
import { columnsOf } from "../width.ts";
import { flushed, type Key, readKeys } from "./keys.ts";
import type { Size } from "./state.ts";

export interface Terminal {
  size(): Size;
  /** Soon, and once: frames that nobody would see are not drawn. */
  redraw(): void;
  bell(): void;
  close(): void;
}

export interface TerminalListener {
  key(key: Key): void;
  resized(size: Size): void;
  frame(): readonly string[];
}

// Alternate screen, no cursor, no wrapping at the right edge, and pastes marked as such (xterm's 2004).
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h";
const LEAVE = "\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";

export function openTerminal(io: Io, listener: TerminalListener): Terminal {
  const { stdin, stdout } = io;
  let [rest, dirty, blocked, closed] = ["", false, false, false];
  let escapeTimer: NodeJS.Timeout | undefined;

  const size = (): Size => ({ rows: Math.max(5, stdout.rows), columns: Math.max(20, stdout.columns) });

  const draw = (): void => {
    dirty = false;
    if (closed) return;
    const { columns } = size();
    // In the last column the cursor stays on the last character, which clearing the rest of the line would take away.
    const text = listener
      .frame()
      .map((line) => (columnsOf(line) < columns ? `${line}\u001b[K` : line))
      .join("\r\n");
    // A slow line, ssh over a train, gets the newest frame when it has taken the last one, and none in between.
    blocked = !stdout.write(`\u001b[H${text}\u001b[J`);
  };
  const redraw = (): void => {
    if (dirty || closed) return;
    dirty = true;
    if (!blocked) setImmediate(draw);
  };
  const onDrain = (): void => {
    blocked = false;
    if (dirty) draw();
  };
  const take = (reading: ReturnType<typeof readKeys>): void => {
    rest = reading.rest;
    for (const key of reading.keys) listener.key(key);
  };
  const onData = (bytes: Buffer | string): void => {
    clearTimeout(escapeTimer);
    take(readKeys(rest + bytes.toString()));
    if (rest !== "") escapeTimer = setTimeout(() => take(flushed(rest)), ESCAPE_WAIT_MS);
  };
  const onResize = (): void => listener.resized(size());

  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("data", onData);
  stdout.on("resize", onResize);
  stdout.on("drain", onDrain);
  stdin.resume();
  stdout.write(ENTER);

  return {
    size,
    redraw,
    bell: () => void stdout.write("\u0007"),
    close: () => {
      if (closed) return;
      closed = true;
      clearTimeout(escapeTimer);
      stdin.off("data", onData);
      stdout.off("resize", onResize);
      stdout.off("drain", onDrain);
      stdin.setRawMode(false);
      stdin.pause();
      stdout.write(LEAVE);
    },
  };
}
