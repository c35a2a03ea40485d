/** Whether the socket can be bound, whether somebody listens, and whether that is the one daemon that may. */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { isCallError } from "../../client/call-error.ts";
import { connect } from "../../client/client.ts";
import { findDaemon } from "../../client/credential.ts";
import { expandHome } from "../../client/locate.ts";
import { SOCKET_PATH_BYTES_MAX, SOCKET_PATH_BYTES_MAX_MACOS } from "../../core/limits.ts";
import { lockByChild } from "../../exec/lock-child.ts";
import { takeInstanceLock } from "../../store/instance-lock.ts";
import type { Finding } from "./finding.ts";
import type { Ground } from "./ground.ts";

export async function checkSocket(ground: Ground): Promise<readonly Finding[]> {
  const path = socketPathOf(ground);
  return [...length(path), ...(await listener(ground, path))];
}

export function socketPathOf({ place, document, paths, env }: Ground): string {
  if (place.socketPath !== null) return place.socketPath;
  const written = document?.ok === true ? document.value.socket.path : null;
  return written === null ? paths.socket : expandHome(written, env);
}

function length(path: string): readonly Finding[] {
  const limit = process.platform === "darwin" ? SOCKET_PATH_BYTES_MAX_MACOS : SOCKET_PATH_BYTES_MAX;
  // The daemon binds a hidden name beside it first, which may be the longer one.
  const bytes = Math.max(Buffer.byteLength(path), Buffer.byteLength(dirname(path)) + 6);
  if (bytes <= limit) return [];
  return [
    {
      about: "socket",
      level: "fails",
      message: `its path takes ${bytes} bytes and unix(7) allows ${limit}`,
      remedy: "choose a shorter --state-dir or --socket",
      path,
    },
  ];
}

async function listener(ground: Ground, path: string): Promise<readonly Finding[]> {
  const about = "daemon";
  const locked = await isLocked(ground);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    return locked
      ? [
          {
            about,
            level: "fails",
            message: "one holds the lock of this state directory, but there is no socket",
            remedy: "look at its log; was the socket removed?",
            path,
          },
        ]
      : [{ about, level: "note", message: "none is running", remedy: "start it: countersign daemon, or countersign install" }];
  }
  // Anything else there is named with the state directory already.
  if (!found.isSocket()) return [];
  try {
    const finding = findDaemon({ ...ground.place, socketPath: path }, "operator", undefined, ground.env);
    if (finding.credential === null) {
      return [
        {
          about,
          level: "weak",
          message: "there is a socket, but no operator token for it was found",
          remedy: `looked at ${finding.looked.join(" and ")}`,
        },
      ];
    }
    const client = await connect({ socketPath: path, role: "operator", token: finding.credential.token });
    const { server, enforcement } = client.welcome;
    client.close();
    return [
      { about, level: "good", message: `${server} answers at \`${path}\`` },
      ...enforcementOf(enforcement["level"]),
      ...(locked
        ? []
        : [
            {
              about,
              level: "fails",
              message: "it answers, but does not hold the lock of this state directory",
              remedy: "is --socket another daemon's?",
            } as const,
          ]),
    ];
  } catch (error) {
    if (!isCallError(error)) throw error;
    if (error.code !== "client.unreachable") return [{ about, level: "fails", message: error.message, remedy: "see above", path }];
    return [
      {
        about,
        level: "note",
        message: `nobody listens at \`${path}\`: the socket was left by a daemon that died`,
        remedy: "the next start removes it",
        path,
      },
    ];
  }
}

function enforcementOf(level: unknown): readonly Finding[] {
  const about = "enforcement";
  if (level === "sealed") return [{ about, level: "good", message: "sealed: what runs is exactly what was hashed" }];
  const remedy = "install the optional package koffi, on Linux; `countersign status` says what each part rests on";
  if (level === "pinned")
    return [{ about, level: "weak", message: "pinned: a write into a running script is found, not prevented", remedy }];
  return [{ about, level: "weak", message: `${String(level)}: there is a window between looking at a file and starting it`, remedy }];
}

/** By trying: whoever cannot take it knows that somebody has it. It is let go of at once. */
async function isLocked({ paths, native }: Ground): Promise<boolean> {
  if (lstatSync(paths.lock, { throwIfNoEntry: false }) === undefined) return false;
  const lock = await takeInstanceLock(paths.lock, native, lockByChild);
  if (lock.ok) lock.value.release();
  return !lock.ok && lock.failure.code === "state.conflict";
}
