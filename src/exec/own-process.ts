/** What the daemon does to itself once, so that every child starts clean and none of them is lost. */
import { readFileSync } from "node:fs";
import type { Native } from "../native/native.ts";
import { setDumpMark } from "./dump-mark.ts";

export interface OwnProcess {
  /** What the children get instead of our own, or `null` where they are the same. */
  readonly childDescriptors: DescriptorLimit | null;
  readonly ownDescriptors: DescriptorLimit | null;
  /** Orphans of our children come to us. */
  readonly isSubreaper: boolean;
  readonly isUndumpable: boolean;
}

export interface DescriptorLimit {
  readonly soft: number;
  readonly hard: number;
}

/** Own files are made with explicit modes, so this is the children's alone. */
const CHILD_UMASK = 0o022;
/** What select(2) can count up to, and what every service manager and login gives by default. */
const SOFT_LIMIT_USUAL = 1024;

export function prepareOwnProcess(native: Native | null): OwnProcess {
  process.umask(CHILD_UMASK);
  if (native === null) {
    setDumpMark();
    return { childDescriptors: null, ownDescriptors: null, isSubreaper: false, isUndumpable: false };
  }
  // Whatever was open when we were started, activation sockets included, is for us alone.
  native.closeOnExecFrom(3);
  // The agent must not gain by a set-id program what its own user may not do.
  native.forswearNewPrivileges();
  const ownDescriptors = native.descriptorLimit();
  const childDescriptors = originalLimit(ownDescriptors, limitOf(process.ppid));
  return {
    ownDescriptors,
    childDescriptors: childDescriptors.soft === ownDescriptors.soft ? null : childDescriptors,
    isSubreaper: native.becomeSubreaper(),
    isUndumpable: native.becomeUndumpable(),
  };
}

/**
 * Node raises its soft limit to the hard one before the first line of ours runs, and nothing remembers what it was. Whoever started us
 * most likely handed down its own; a service manager has another hard limit than its services, and gives them the usual soft one.
 */
export function originalLimit(own: DescriptorLimit, parent: DescriptorLimit | null): DescriptorLimit {
  const soft = parent !== null && parent.hard === own.hard ? parent.soft : SOFT_LIMIT_USUAL;
  return { soft: Math.min(soft, own.hard), hard: own.hard };
}

/** proc(5), /proc/PID/limits. */
function limitOf(pid: number): DescriptorLimit | null {
  try {
    const row = /^Max open files +(\d+) +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"));
    return row === null ? null : { soft: Number(row[1]), hard: Number(row[2]) };
  } catch {
    return null;
  }
}
