/** For the moment of one spawn(), this thread is somebody else: posix_spawn(3) has no attribute for it, and the child inherits what we are. */
import type { CLibrary } from "./c-library.ts";
import type { ChildCredentials } from "./native.ts";
import { SystemError } from "./system-error.ts";

/**
 * Straight to the kernel, because the C library's own functions change every thread of the process (nptl(7)), and the others are opening
 * our files meanwhile. The numbers are those of syscalls(2); a machine that is not here has no `tools.exec.runAs`.
 */
const CALLS: Readonly<Record<string, { readonly setgroups: number; readonly setresgid: number; readonly setresuid: number }>> = {
  x64: { setgroups: 116, setresgid: 119, setresuid: 117 },
  arm64: { setgroups: 159, setresgid: 149, setresuid: 147 },
  riscv64: { setgroups: 159, setresgid: 149, setresuid: 147 },
};

export const canBecome = Object.hasOwn(CALLS, process.arch);

/**
 * The saved uid stays root's, which is the way back, and is gone in the child: execve(2) sets it to the effective one. Coming back must not
 * fail; if it does, this process is nobody that anything was promised for, and it ends.
 */
export function as<Outcome>(c: CLibrary, { uid, gid, gids }: ChildCredentials, spawn: () => Outcome): Outcome {
  const calls = CALLS[process.arch];
  if (calls === undefined) throw new SystemError("setresuid", 38);
  const ours = Uint32Array.from(process.getgroups?.() ?? []);
  const theirs = Uint32Array.from(gids);
  const must = (call: string, result: number): void => {
    if (result !== 0) throw new SystemError(call, c.errno());
  };
  try {
    must("setgroups", c.syscallWithList(calls.setgroups, theirs.length, theirs));
    must("setresgid", c.syscall(calls.setresgid, gid, gid, gid));
    must("setresuid", c.syscall(calls.setresuid, uid, uid, 0));
    return spawn();
  } finally {
    const back =
      c.syscall(calls.setresuid, 0, 0, 0) === 0 &&
      c.syscall(calls.setresgid, 0, 0, 0) === 0 &&
      c.syscallWithList(calls.setgroups, ours.length, ours) === 0;
    if (!back) process.abort();
  }
}
