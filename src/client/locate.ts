/** Where a daemon's files lie, by the same rules for the daemon and for everyone who looks for it. */
import { isAbsolute, join, resolve } from "node:path";

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Place {
  readonly stateDir: string;
  /** `null` until the document is asked: `socket.path` may say otherwise than the default. */
  readonly socketPath: string | null;
}

export function locate(given: { readonly stateDir?: string | undefined; readonly socket?: string | undefined }, env: Variables): Place {
  const socket = given.socket ?? nonEmpty(env["COUNTERSIGN_SOCKET"]);
  return { stateDir: stateDirectory(given.stateDir, env), socketPath: socket === undefined ? null : resolve(socket) };
}

function stateDirectory(given: string | undefined, env: Variables): string {
  const chosen = given ?? nonEmpty(env["COUNTERSIGN_STATE_DIR"]);
  if (chosen !== undefined) return resolve(chosen);
  const xdg = env["XDG_STATE_HOME"];
  // The XDG specification says to ignore a relative path here.
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "countersign");
  return join(homeOf(env), ".local/state/countersign");
}

export function homeOf(env: Variables): string {
  const home = env["HOME"];
  return home !== undefined && isAbsolute(home) ? home : "/";
}

export function expandHome(path: string, env: Variables): string {
  return path === "~" || path.startsWith("~/") ? join(homeOf(env), path.slice(1)) : path;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
