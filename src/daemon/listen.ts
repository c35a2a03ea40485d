/**
 * The listening socket. It appears under its name already listening and with its final mode, and nothing is ever removed from that name but
 * a socket of our own that nobody answers at.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
import { createConnection, type Server } from "node:net";
import { type AbsolutePath, parentOf, resolvePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { SOCKET_PATH_BYTES_MAX, SOCKET_PATH_BYTES_MAX_MACOS } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";
import { errnoOf, ioDenial } from "../store/io-denial.ts";
import { faultOf } from "../store/ownership.ts";

export interface ListenOptions {
  readonly path: AbsolutePath;
  /** Other uids may connect (`socket.allowUids`): then only the kernel's word on who they are keeps strangers out. */
  readonly shared: boolean;
  readonly native: Native | null;
}

export interface Listening {
  /** Takes the name away, if it still leads to our socket, and stops accepting. Open connections stay. */
  stop(): void;
}

/** To be called by the one daemon that holds the state directory's lock. `server` must not listen yet. */
export async function listenAt(server: Server, options: ListenOptions): Promise<Result<Listening, Denial>> {
  const { path, shared } = options;
  const hidden = resolvePath(parentOf(path), `.${randomBytes(3).toString("base64url")}`);
  const unfit = refusalOf(options, [path, hidden]);
  if (unfit !== null) return fail(unfit);
  try {
    const occupied = await clearStale(path);
    if (occupied !== null) return fail(occupied);
    if (shared) chmodSync(parentOf(path), 0o711);
    await bind(server, hidden, shared ? 0o666 : 0o600);
    const bound = lstatSync(hidden);
    giveName(hidden, path);
    return ok({
      stop: () => {
        // While we are bound to it, the kernel gives this inode's number to nobody else.
        const found = lookAt(path);
        if (found !== null && isSame(found, bound)) unlinkSync(path);
        // libuv would unlink the name it bound, which is long gone, and not whatever has since come to lie at ours.
        server.close();
      },
    });
  } catch (error) {
    server.close();
    return fail(
      errnoOf(error) === "EEXIST" ? takenBy(path, "something that was not there a moment ago") : ioDenial("listen at", path, error),
    );
  }
}

function refusalOf({ path, shared, native }: ListenOptions, names: readonly AbsolutePath[]): Denial | null {
  const longest = names.reduce((most, name) => Math.max(most, Buffer.byteLength(name)), 0);
  const limit = process.platform === "darwin" ? SOCKET_PATH_BYTES_MAX_MACOS : SOCKET_PATH_BYTES_MAX;
  if (longest > limit) {
    const message = `the socket's path takes ${longest} bytes and unix(7) allows ${limit}; choose a shorter --socket`;
    return denial("config.invalid", message, { path, bytes: longest, limit });
  }
  if (shared && native === null) {
    return denial("config.invalid", "socket.allowUids needs native code to tell peers apart; install koffi or remove it", { path });
  }
  const directory = parentOf(path);
  const found = lookAt(directory);
  if (found === null) return denial("config.invalid", `\`${directory}\` does not exist; create it`, { path: directory });
  const fault = faultOf(found, process.geteuid?.() ?? 0, { kind: "directory", secret: false, mode: shared ? 0o711 : 0o700 });
  return fault === null ? null : denial("config.invalid", `\`${directory}\` ${fault.reason}; ${fault.remedy}`, { path: directory });
}

/** `null` when the name is free, if need be because a dead socket of ours was taken away. */
async function clearStale(path: AbsolutePath): Promise<Denial | null> {
  const found = lookAt(path);
  if (found === null) return null;
  if (!found.isSocket()) return takenBy(path, found.isSymbolicLink() ? "a symbolic link" : "something that is not a socket");
  if (found.uid !== process.geteuid?.()) return takenBy(path, `a socket of uid ${found.uid}`);
  if ((await dial(path)) !== "ECONNREFUSED") return takenBy(path, "a daemon that is running");
  const still = lookAt(path);
  // The number of a removed inode is given out again at once, so the time of its last change must be the same too.
  if (still !== null && isSame(still, found) && still.ctimeMs === found.ctimeMs) unlinkSync(path);
  return null;
}

/** Anything but a refused connection counts as alive: a full backlog, a permission, an answer. */
function dial(path: string): Promise<string> {
  return new Promise((settle) => {
    const socket = createConnection(path);
    const done = (outcome: string): void => {
      socket.destroy();
      settle(outcome);
    };
    socket.once("connect", () => done("connected"));
    socket.once("error", (error) => done(errnoOf(error) ?? "unknown"));
  });
}

/** bind(2) creates the socket with the umask's leave, so the umask is what fixes the mode; the call is over before anything else runs. */
function bind(server: Server, path: string, mode: number): Promise<void> {
  return new Promise((settle, reject) => {
    server.once("error", reject);
    const umask = process.umask(0o777 & ~mode);
    try {
      server.listen(path, 511, () => {
        server.removeListener("error", reject);
        settle();
      });
    } finally {
      process.umask(umask);
    }
  });
}

/** link(2) replaces nothing. Where sockets cannot be linked, the name was free a moment ago and the directory is ours. */
function giveName(from: string, to: string): void {
  try {
    linkSync(from, to);
    unlinkSync(from);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") {
      unlinkSync(from);
      throw error;
    }
    renameSync(from, to);
  }
}

function takenBy(path: string, what: string): Denial {
  return denial("config.invalid", `\`${path}\` is taken by ${what}; stop it or move it away`, { path });
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function lookAt(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
