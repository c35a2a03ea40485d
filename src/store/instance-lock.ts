/** One daemon per state directory. The kernel holds the lock and lets go of it however the daemon dies, so there is nothing stale to clean up. */
import { closeSync, constants, openSync } from "node:fs";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";
import { ioDenial } from "./io-denial.ts";

export interface InstanceLock {
  /** `flock`: the kernel's own. `flock-child`: the kernel's, held by a flock(1) that lives as long as we do. `none`: nobody guards it. */
  readonly kind: "flock" | "flock-child" | "none";
  release(): void;
}

/** Without native code: holds the lock through a child, `"taken"` when somebody else has it, `"absent"` when there is no such program. */
export type LockChild = (path: string) => Promise<{ readonly release: () => void } | "taken" | "absent">;

export async function takeInstanceLock(path: string, native: Native | null, lockChild: LockChild): Promise<Result<InstanceLock, Denial>> {
  if (native === null) return lockThroughChild(path, lockChild);
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    return fail(ioDenial("open the lock", path, error));
  }
  try {
    if (native.lockExclusively(fd)) return ok({ kind: "flock", release: () => closeSync(fd) });
    closeSync(fd);
    return fail(taken(path));
  } catch (error) {
    closeSync(fd);
    return fail(ioDenial("lock", path, error));
  }
}

async function lockThroughChild(path: string, lockChild: LockChild): Promise<Result<InstanceLock, Denial>> {
  const held = await lockChild(path);
  if (held === "taken") return fail(taken(path));
  return ok(held === "absent" ? { kind: "none", release: () => undefined } : { kind: "flock-child", release: held.release });
}

function taken(path: string): Denial {
  return denial("state.conflict", `another daemon works on this state directory; stop it or choose another --state-dir`, { path });
}
