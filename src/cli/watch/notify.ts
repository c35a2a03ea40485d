/** A note on the desktop when somebody is asked something. It can open the request in the terminal; it can never answer it. */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import type { Variables } from "../../client/locate.ts";
import { DESKTOP_NOTES_MAX } from "../../core/limits.ts";
import { shownText } from "../../wire/shown-text.ts";
import type { Pending } from "./pending.ts";

export interface Desktop {
  tell(pending: Pending): void;
  close(): void;
}

const SHOWN_CHARS = 200;

/** `null` where there is no session bus to carry a note, or nothing to send one with. */
export function openDesktop(env: Variables, open: (id: string) => void): Desktop | null {
  const program = hasSessionBus(env) ? onPath("notify-send", env) : null;
  if (program === null) return null;
  const notes = new Set<ChildProcess>();
  const giveUp = (note: ChildProcess): void => {
    notes.delete(note);
    note.kill();
  };
  return {
    tell: (pending) => {
      // Notes that nobody touches stay; beyond this many the oldest is given up, so that the newest is always told.
      const [oldest] = notes;
      if (notes.size >= DESKTOP_NOTES_MAX && oldest !== undefined) giveUp(oldest);
      // `--action` waits and prints its name when it was chosen; versions before 0.8 do not know it, fail, and are asked without it.
      const note = send(program, ["--action=open=Show", ...words(pending)], env);
      let said = "";
      note.stdout?.on("data", (bytes: Buffer) => {
        said = (said + bytes.toString("utf8")).slice(-64);
      });
      notes.add(note);
      note.on("error", () => void notes.delete(note));
      note.on("close", (code, signal) => {
        notes.delete(note);
        if (signal !== null) return;
        if (/^open$/m.test(said)) open(pending.id);
        else if (code !== 0) send(program, words(pending), env).on("error", () => undefined);
      });
    },
    close: () => {
      for (const note of notes) giveUp(note);
    },
  };
}

/** Servers read a subset of HTML in the body, so nothing of the command may look like it. */
function words(pending: Pending): readonly string[] {
  const command = shownText(pending.command, SHOWN_CHARS).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    "--app-name=countersign",
    "--urgency=normal",
    "--",
    `Agent ${shownText(pending.agent, 40)} asks`,
    `${command}\nAnswer it in countersign watch.`,
  ];
}

function send(program: string, args: readonly string[], env: Variables): ChildProcess {
  return spawn(program, args, { env: { ...env }, stdio: ["ignore", "pipe", "ignore"] });
}

function hasSessionBus(env: Variables): boolean {
  if ((env["DBUS_SESSION_BUS_ADDRESS"] ?? "") !== "") return true;
  const runtime = env["XDG_RUNTIME_DIR"];
  return runtime !== undefined && runtime !== "" && existsSync(join(runtime, "bus"));
}

function onPath(name: string, env: Variables): string | null {
  for (const directory of (env["PATH"] ?? "").split(":")) {
    if (!directory.startsWith("/")) continue;
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      // Not here; the next one may have it.
    }
  }
  return null;
}
