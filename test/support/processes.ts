/** What the kernel knows of processes, for tests of what is left of them. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export function pids(): readonly number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Zombies are dead: they only wait for somebody to hear of it. */
export function isAlive(pid: number): boolean {
  return !["Z", "X", ""].includes(stateOf(pid));
}

export function isStopped(pid: number): boolean {
  return stateOf(pid) === "T";
}

/** One letter, proc(5); nothing for a process that is not there. */
function stateOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  } catch {
    return "";
  }
}

/** Everything that works in this directory or below it. */
export function workingIn(directory: string): readonly number[] {
  return pids().filter((pid) => {
    try {
      const cwd = readlinkSync(`/proc/${pid}/cwd`);
      return (cwd === directory || cwd.startsWith(`${directory}/`)) && isAlive(pid);
    } catch {
      return false;
    }
  });
}

/** `VmHWM` is the most that was ever resident, `VmRSS` what is now; in bytes. */
export function memoryOf(pid: number, field: "VmHWM" | "VmRSS" = "VmRSS"): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (found === null) throw new Error(`/proc/${pid}/status has no ${field}`);
  return Number(found[1]) * 1024;
}

/** `null` where we may not look: a daemon that cannot be dumped shows its descriptors to root alone. */
export function descriptorsOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

export async function until(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(10)) if (await condition()) return true;
  return condition();
}
