/** The processes of this machine as /proc tells them, proc(5). */
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { errnoOf } from "../store/io-denial.ts";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Clock ticks after boot. With the pid it tells a process from a later one of the same number. */
  readonly startTicks: number;
  readonly name: string;
  readonly isDead: boolean;
}

/** More than any of these files has, but an environment. One for all: whoever forks and exits in a loop is found by being quicker. */
const PAGE = Buffer.alloc(16 * 1024);

export type ProcessTable = ReadonlyMap<number, ProcessRow>;

export interface Look {
  readonly table: ProcessTable;
  /** Nobody was passed over because we had no way to look, being out of descriptors for one. */
  readonly isWhole: boolean;
}

export function readProcesses(): Look {
  const table = new Map<number, ProcessRow>();
  let isWhole = true;
  for (const entry of entriesOf("/proc")) {
    const row = /^\d+$/.test(entry) ? lookAt(Number(entry)) : "gone";
    if (row === "unseen") isWhole = false;
    else if (row !== "gone") table.set(row.pid, row);
  }
  return { table, isWhole: isWhole && table.has(process.pid) };
}

/** `null` when there is none, or none that we can see. */
export function readProcess(pid: number): ProcessRow | null {
  const row = lookAt(pid);
  return typeof row === "object" ? row : null;
}

function lookAt(pid: number): ProcessRow | "gone" | "unseen" {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === null) return "unseen";
  // The name may hold blanks and parentheses of its own, so the fields begin after the last one.
  const close = text.lastIndexOf(")");
  if (close < 0) return "gone";
  const fields = text.slice(close + 2).split(" ");
  return {
    pid,
    name: text.slice(text.indexOf("(") + 1, close),
    isDead: fields[0] === "Z" || fields[0] === "X",
    parent: Number(fields[1]),
    session: Number(fields[3]),
    startTicks: Number(fields[19]),
  };
}

/**
 * The children of our main thread, those adopted as a subreaper included, and not those that another thread has started. Fast, and may miss
 * one while its siblings end: a hint, not a proof. `null` where they are not told.
 */
export function ownChildren(): readonly number[] | null {
  const listed = readListed()?.trimEnd();
  if (listed === undefined) return null;
  return listed === "" ? [] : listed.split(" ").map(Number);
}

/** Asked after every run, so it stays open, and is read from its beginning each time. */
let listedAt: number | null = null;
const MEMORY_PAGE_BYTES = 4096;

function readListed(): string | null {
  try {
    listedAt ??= openSync(`/proc/${process.pid}/task/${process.pid}/children`, "r");
    let text = "";
    for (let at = 0; ; ) {
      const count = readSync(listedAt, PAGE, 0, PAGE.length, at);
      text += PAGE.toString("latin1", 0, count);
      at += count;
      // proc(5) fills at least a page of memory as long as there is more to tell.
      if (count < MEMORY_PAGE_BYTES / 2) return text;
    }
  } catch {
    return null;
  }
}

/**
 * Whether another thread of ours started this process: then it was no orphan's way that led it to us, because orphans come to the main
 * thread. May miss one, so that a no proves nothing.
 */
export function wasStartedBesideUs(pid: number): boolean {
  return entriesOf(`/proc/${process.pid}/task`).some(
    (thread) =>
      Number(thread) !== process.pid && (textOf(`/proc/${process.pid}/task/${thread}/children`) ?? "").split(" ").includes(String(pid)),
  );
}

/** The value of a variable that the process was started with, or `null` when it has none or is not ours to read. */
export function environmentOf(pid: number, name: string): string | null {
  const found = (textOf(`/proc/${pid}/environ`) ?? "").split("\0").find((entry) => entry.startsWith(`${name}=`));
  return found === undefined ? null : found.slice(name.length + 1);
}

/** `null` for a process without one, or one that has gone. Anybody may read it, whoever the process has become. */
export function markOf(pid: number): number | null {
  const found = /^Max file locks +(\d+) /m.exec(textOf(`/proc/${pid}/limits`) ?? "");
  return found === null ? null : Number(found[1]);
}

// USER_HZ of time(7): what /proc counts in, whatever the kernel's own clock does.
const TICKS_PER_SECOND = 100;
const CLOCKS_COMPARED_EVERY_MS = 1000;

/** Now, in the ticks that processes' starts are told in. That clock goes on while the machine sleeps and ours does not, so they are compared. */
export function createTickClock(): () => number {
  let comparedAtMs = Number.NEGATIVE_INFINITY;
  let aheadTicks = 0;
  const ownTicks = (): number => (performance.now() * TICKS_PER_SECOND) / 1000;
  return () => {
    if (performance.now() - comparedAtMs > CLOCKS_COMPARED_EVERY_MS) {
      comparedAtMs = performance.now();
      aheadTicks = Number((textOf("/proc/uptime") ?? "").split(" ")[0] ?? 0) * TICKS_PER_SECOND - ownTicks();
    }
    return Math.floor(ownTicks() + aheadTicks);
  };
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Empty for a process that ended between two looks, or that is somebody else's; `null` where it is we who could not look. */
function textOf(path: string): string | null {
  let fd: number | null = null;
  try {
    fd = openSync(path, "r");
    let text = "";
    for (let read = readSync(fd, PAGE); read > 0; read = readSync(fd, PAGE)) text += PAGE.toString("latin1", 0, read);
    return text;
  } catch (error) {
    return OUR_OWN_WANTS.has(errnoOf(error) ?? "") ? null : "";
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** open(2): of descriptors, ours or the machine's, and of memory. */
const OUR_OWN_WANTS: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM"]);
