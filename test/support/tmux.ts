/** A real terminal for a real program: keys go in as a person's would, and what is on the screen comes out. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Scratch, scratchDirectory } from "./scratch.ts";

export const hasTmux = canRun("tmux", ["-V"]);

export interface Screen {
  /** The lines without trailing blanks; with `colours`, the escape sequences too. */
  shown(options?: { readonly colours?: boolean }): string;
  /** From the first line on, with what has scrolled away; a line that the terminal had to break is whole again. */
  everything(options?: { readonly colours?: boolean }): string;
  /** Waits until the screen holds this, and gives it back. */
  shows(what: string | RegExp, withinMs?: number): Promise<string>;
  /** Waits until it no longer does. */
  hides(what: string | RegExp): Promise<void>;
  /** `Enter`, `Escape`, `Down` and the like are named; anything else is typed as it stands. */
  keys(...keys: readonly string[]): void;
  /** In one go, without a pause between the keys. */
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** To the program on the screen, by its own process id. */
  signal(name: NodeJS.Signals): void;
  /** From now on every byte the program writes also goes to this file. */
  record(file: string): void;
  close(): void;
}

const NAMED = new Set(["Enter", "Escape", "Down", "Up", "PageDown", "PageUp", "Space", "C-c", "BSpace"]);

export function openScreen(
  words: readonly string[],
  { columns = 80, rows = 24, env = {} }: { columns?: number; rows?: number; env?: Readonly<Record<string, string>> } = {},
): Screen {
  const scratch: Scratch = scratchDirectory();
  const socket = join(scratch.path, "t");
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 64 * 1024 * 1024,
    });
  // Given by env(1), because tmux and the start-up files of shells have their own ideas of PATH.
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const size = ["-x", String(columns), "-y", String(rows)];
  // The shell stays after the program, so that its last words can still be looked at.
  const command = `${["env", ...variables, ...words].map(quoted).join(" ")}; echo "ended with $?"; exec sleep 600`;
  tmux(
    "start-server",
    ";",
    "set-option",
    "-g",
    "history-limit",
    "50000",
    ";",
    "new-session",
    "-d",
    "-s",
    "w",
    ...size,
    "sh",
    "-c",
    command,
  );

  const shown: Screen["shown"] = ({ colours = false } = {}) => tmux("capture-pane", "-p", ...(colours ? ["-e"] : []), "-t", "w").trimEnd();
  const everything: Screen["everything"] = ({ colours = false } = {}) => {
    const lines = tmux("capture-pane", "-p", "-J", "-S", "-", ...(colours ? ["-e"] : []), "-t", "w").split("\n");
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd();
  };
  const holds = (what: string | RegExp): boolean => (typeof what === "string" ? shown().includes(what) : what.test(shown()));
  return {
    shown,
    everything,
    shows: async (what, withinMs = 10_000) => {
      for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(10)) if (holds(what)) return shown();
      throw new Error(`the screen never showed ${String(what)}:\n${shown()}`);
    },
    hides: async (what) => {
      for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(10)) if (!holds(what)) return;
      throw new Error(`the screen still shows ${String(what)}:\n${shown()}`);
    },
    keys: (...keys) => {
      for (const key of keys) tmux("send-keys", ...(NAMED.has(key) ? [] : ["-l"]), "-t", "w", key);
    },
    type: (text) => void tmux("send-keys", "-l", "-t", "w", text),
    resize: (wide, high) => void tmux("resize-window", "-t", "w", "-x", String(wide), "-y", String(high)),
    signal: (name) => {
      const shell = tmux("list-panes", "-t", "w", "-F", "#{pane_pid}").trim();
      const child = Number(readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ")[0]);
      // 0 would be our own process group.
      if (!(child > 0)) throw new Error("there is no program on the screen any more");
      process.kill(child, name);
    },
    record: (file) => void tmux("pipe-pane", "-t", "w", `cat > ${quoted(file)}`),
    close: () => {
      tmux("kill-server");
      scratch.remove();
    },
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export function canRun(program: string, words: readonly string[]): boolean {
  try {
    execFileSync(program, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
