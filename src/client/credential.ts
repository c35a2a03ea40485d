/** Finds the caller's token in the order that the protocol gives, and refuses a file that others could have read or planted. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../core/json.ts";
import { DOCUMENT_BYTES_MAX, TOKEN_FILE_BYTES_MAX } from "../core/limits.ts";
import { CallError } from "./call-error.ts";
import { expandHome, homeOf, type Place, type Variables } from "./locate.ts";
import type { Role } from "./proof.ts";

export interface Credential {
  readonly token: string;
  /** Where it was found, for people. */
  readonly source: string;
}

export interface Finding {
  readonly socketPath: string;
  readonly credential: Credential | null;
  /** Where was looked, in order, for the error that says so. */
  readonly looked: readonly string[];
}

/** `tokenFile` is final when it is given: a caller who names a file does not want another one used. */
export function findDaemon(place: Place, role: Role, tokenFile: string | undefined, env: Variables): Finding {
  const document = readDocument(place.stateDir);
  const socketPath =
    place.socketPath ?? (document.path === null ? join(place.stateDir, "exec-approvals.sock") : expandHome(document.path, env));
  const named = tokenFile ?? (env["COUNTERSIGN_TOKEN_FILE"] === "" ? undefined : env["COUNTERSIGN_TOKEN_FILE"]);
  if (named !== undefined) return { socketPath, credential: { token: requireToken(named), source: named }, looked: [named] };

  const own = join(homeOf(env), ".config/countersign", `${role}.token`);
  const ownToken = readSecret(own, TOKEN_FILE_BYTES_MAX)?.trim();
  if (ownToken !== undefined) return { socketPath, credential: { token: ownToken, source: own }, looked: [own] };

  const { credential, looked } = findInState(place.stateDir, role);
  return { socketPath, credential, looked: [own, ...looked] };
}

/** The token in the daemon's own files, whatever this user was issued at some time. */
export function findInState(stateDir: string, role: Role): Omit<Finding, "socketPath"> {
  const source = join(stateDir, role === "operator" ? "operator.token" : "exec-approvals.json");
  const token = role === "operator" ? readSecret(source, TOKEN_FILE_BYTES_MAX)?.trim() : readDocument(stateDir).token;
  return { credential: token === undefined || token === null ? null : { token, source }, looked: [source] };
}

export function requireToken(path: string): string {
  const token = readSecret(path, TOKEN_FILE_BYTES_MAX)?.trim();
  if (token === undefined || token === "") {
    throw new CallError("client.no-credential", `there is no token in \`${path}\`; have one issued: countersign token issue`, { path });
  }
  return token;
}

function readDocument(stateDir: string): { readonly path: string | null; readonly token: string | null } {
  const bytes = readSecret(join(stateDir, "exec-approvals.json"), DOCUMENT_BYTES_MAX);
  const socket = bytes === undefined ? undefined : socketSection(bytes);
  const path = socket?.["path"];
  const token = socket?.["token"];
  return { path: typeof path === "string" ? path : null, token: typeof token === "string" ? token : null };
}

function socketSection(bytes: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const document: unknown = JSON.parse(bytes);
    return isJsonObject(document) && isJsonObject(document["socket"]) ? document["socket"] : undefined;
  } catch {
    // The daemon says where a broken document is broken; here it only means that no token was found.
    return undefined;
  }
}

/** `undefined` when nothing is there or this user may not read it; anything there that is not safe is an error, never a fallback. */
function readSecret(path: string, bytesMax: number): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const errno = error instanceof Error && "code" in error ? error.code : "";
    if (errno === "ELOOP") throw unsafe(path, "is a symbolic link", "name the file itself");
    return undefined;
  }
  try {
    const found = fstatSync(fd);
    const me = process.getuid?.() ?? found.uid;
    if (!found.isFile()) throw unsafe(path, "is not a regular file", "name the token's file");
    // Root is who hands out the tokens of a daemon that has an account of its own, so root may take them from that account's files.
    if (found.uid !== me && found.uid !== 0 && me !== 0) throw unsafe(path, `belongs to uid ${found.uid}`, "use a file of your own");
    if ((found.mode & 0o077) !== 0) throw unsafe(path, "can be read or written by others", `chmod 600 ${path}, then rotate the token`);
    if (found.size > bytesMax) throw unsafe(path, `has ${found.size} bytes`, "is this the right file?");
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function unsafe(path: string, what: string, remedy: string): CallError {
  return new CallError("client.unsafe-credential", `\`${path}\` ${what}; ${remedy}`, { path });
}
