/** Everything that is wrong with a state directory, for the daemon that refuses to start on it and for the doctor that lists it. */
import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { posix } from "node:path";
import { type AbsolutePath, baseName, parentOf, resolvePath } from "../core/absolute-path.ts";
import { STATE_LINKS_FOLLOWED_MAX } from "../core/limits.ts";
import { errnoOf } from "./io-denial.ts";
import { type Expectation, type Fault, faultOf, faultOnTheWay, octal } from "./ownership.ts";
import { statePaths } from "./state-paths.ts";

export interface Finding extends Fault {
  readonly path: AbsolutePath;
  /** `warns` is worth saying and stops nothing. */
  readonly weight: "refuses" | "warns";
}

const SECRET_FILE: Expectation = { kind: "file", secret: true, mode: 0o600 };
const PLAIN_FILE: Expectation = { kind: "file", secret: false, mode: 0o600 };
const DIRECTORY: Expectation = { kind: "directory", secret: true, mode: 0o700 };

/** Outermost first, so that mending in this order never works inside a directory that others can still change. */
export function inspectStateDirectory(directory: AbsolutePath, uid: number): readonly Finding[] {
  const paths = statePaths(directory);
  const files: readonly (readonly [AbsolutePath, Expectation])[] = [
    [paths.document, SECRET_FILE],
    [paths.operatorToken, SECRET_FILE],
    [paths.tokenKey, SECRET_FILE],
    [paths.settings, PLAIN_FILE],
    [paths.hostId, PLAIN_FILE],
    [paths.trust, PLAIN_FILE],
    [paths.lock, PLAIN_FILE],
  ];
  return [
    ...onTheWay(directory, uid),
    ...stateDirectoryItself(directory, uid),
    ...files.flatMap(([path, expected]) => look(path, uid, expected)),
    // Its mode is the daemon's business: with `allowUids` others are meant to connect.
    ...look(paths.socket, uid, { kind: "socket", secret: false, mode: 0o600 }).filter(({ mode }) => mode === null),
    ...[paths.approvals, paths.audit].flatMap((path) => [...look(path, uid, DIRECTORY), ...inside(path, uid)]),
  ];
}

function look(path: AbsolutePath, uid: number, expected: Expectation): readonly Finding[] {
  const found = lstatOrNull(path);
  const fault = found === null ? null : faultOf(found, uid, expected);
  return fault === null ? [] : [{ path, weight: "refuses", ...fault }];
}

function inside(directory: AbsolutePath, uid: number): readonly Finding[] {
  if (lstatOrNull(directory)?.isDirectory() !== true) return [];
  return readdirSync(directory).flatMap((name) => look(resolvePath(directory, name), uid, SECRET_FILE));
}

function stateDirectoryItself(directory: AbsolutePath, uid: number): readonly Finding[] {
  const found = lstatOrNull(directory);
  if (found === null) return [];
  const fault = faultOf(found, uid, { ...DIRECTORY, secret: false });
  if (fault !== null) return [{ path: directory, weight: "refuses", ...fault }];
  const whose = openclawsOwn(directory);
  if (whose !== null) return [{ path: directory, weight: "refuses", reason: whose, remedy: "choose another --state-dir", mode: null }];
  if ((found.mode & 0o044) === 0) return [];
  const reason = `can be listed by others (${octal(found.mode)})`;
  return [{ path: directory, weight: "warns", reason, remedy: "run `countersign doctor --fix`", mode: 0o700 }];
}

/** OpenClaw refuses to work while an `exec-approvals.json` lies in its own state directory, so ours must never be put there. */
function openclawsOwn(directory: AbsolutePath): string | null {
  if (/^\.openclaw(-|$)/.test(baseName(directory))) return "is OpenClaw's own state directory by its name";
  return lstatOrNull(resolvePath(directory, "openclaw.json")) === null
    ? null
    : "is OpenClaw's own state directory: it holds `openclaw.json`";
}

/**
 * Every directory and link passed on the way, as the kernel would walk it: a link is only as good as the directory it lies in, which
 * need not be an ancestor of where it leads.
 */
function onTheWay(directory: AbsolutePath, uid: number): readonly Finding[] {
  const findings: Finding[] = [];
  let rest = parentOf(directory).split("/").filter(Boolean);
  let here = resolvePath(directory, "/");
  let links = 0;
  judge(here);
  while (rest.length > 0) {
    const [name = "", ...after] = rest;
    const path = resolvePath(here, name);
    const found = judge(path);
    if (found === null) break;
    if (!found.isSymbolicLink()) {
      here = path;
      rest = after;
      continue;
    }
    links += 1;
    if (links > STATE_LINKS_FOLLOWED_MAX) {
      return [
        ...findings,
        { path, weight: "refuses", reason: "leads through too many links", remedy: "choose another --state-dir", mode: null },
      ];
    }
    const target = posix.resolve(here, readlinkSync(path));
    rest = [...target.split("/").filter(Boolean), ...after];
    here = resolvePath(directory, "/");
  }
  return findings;

  function judge(path: AbsolutePath): Stats | null {
    const found = lstatOrNull(path);
    const fault = found === null ? null : faultOnTheWay(found, uid);
    if (fault !== null && !findings.some((finding) => finding.path === path)) findings.push({ path, weight: "refuses", ...fault });
    return found;
  }
}

function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "")) return null;
    throw error;
  }
}
