/** What the kernel says about the other end of a socket, as of connect(2). */
import { readFileSync, readlinkSync } from "node:fs";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";

/** All null without native code: then the socket's mode is the only guard, and `status` says so. */
export interface Peer {
  readonly pid: number | null;
  readonly uid: number | null;
  readonly gid: number | null;
  /** Best effort, for people to read; another uid's is not ours to see. */
  readonly exe: string | null;
}

export const UNKNOWN_PEER: Peer = { pid: null, uid: null, gid: null, exe: null };

/** Without native code nobody can be told apart, and only the owner can reach the socket. A peer the kernel will not name is refused. */
export function admitPeer(native: Native | null, socketFd: number | null, allowUids: readonly number[]): Result<Peer, Denial> {
  if (native === null) return ok(UNKNOWN_PEER);
  const found = socketFd === null ? null : native.peerCredentials(socketFd);
  if (found === null) return fail(denial("auth.peer-refused", "the kernel does not say who is calling; connect through the Unix socket"));
  if (found.uid !== process.geteuid?.() && found.uid !== 0 && !allowUids.includes(found.uid)) {
    return fail(denial("auth.peer-refused", `uid ${found.uid} may not connect; add it to socket.allowUids`, { uid: found.uid }));
  }
  return ok({ ...found, exe: exeOf(found.pid) });
}

/**
 * The side that asks is not the side that answers: what we started ourselves, however remotely, may not decide. Descent cannot be shed while
 * we are a subreaper; the marker covers what slipped out from under us. A process that hides from us counts as ours.
 */
export function mayBeOperator(peer: Peer, daemonPid = process.pid): Result<null, Denial> {
  // A pid of 0 lies outside of our pid namespace, where none of our descendants can be.
  if (peer.pid === null || peer.pid === 0 || peer.pid === daemonPid) return ok(null);
  for (let pid = peer.pid, steps = 0; pid > 1 && steps < ANCESTORS_MAX; steps += 1) {
    if (pid === daemonPid) return refused("descends from the daemon");
    const marked = carriesMarker(pid);
    if (marked === true) return refused("carries a run's marker");
    if (marked === "hidden" && pid === peer.pid && peer.uid === process.geteuid?.()) return refused("hides its environment");
    const parent = parentPid(pid);
    if (parent === null) return pid === peer.pid ? refused("has already ended") : ok(null);
    pid = parent;
  }
  return ok(null);
}

const ANCESTORS_MAX = 256;

function refused(why: string): Result<null, Denial> {
  return fail(
    denial("auth.forbidden", `the calling process ${why}, and what is run may not decide; use a terminal of your own`, {
      role: "operator",
    }),
  );
}

function carriesMarker(pid: number): boolean | "hidden" {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes("\0COUNTERSIGN_RUN=");
  } catch {
    return "hidden";
  }
}

/** The fourth field of /proc/PID/stat, proc(5); the second may itself hold spaces and brackets. */
function parentPid(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return Number.isInteger(parent) ? parent : null;
  } catch {
    return null;
  }
}

function exeOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
}
