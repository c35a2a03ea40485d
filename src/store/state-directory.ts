/** Opens the one directory that everything rests on, and refuses it when anybody else could have had a hand in it. */
import { chmodSync, closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { type AbsolutePath, baseName, parentOf, parseAbsolutePath, resolvePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type Finding, inspectStateDirectory } from "./inspect.ts";
import { errnoOf, ioDenial } from "./io-denial.ts";
import { type StatePaths, statePaths } from "./state-paths.ts";

export interface StateDirectoryOptions {
  readonly directory: AbsolutePath;
  /** The uid we run as. */
  readonly uid: number;
}

/**
 * Creates what is missing, at 0700, and answers with canonical paths. What is there and not as it should be is refused with
 * `config.invalid` and left alone: only a person who asked for it (`doctor --fix`) has modes changed. A disk that fails is `state.io`.
 */
export function openStateDirectory({ directory, uid }: StateDirectoryOptions): Result<StatePaths, Denial> {
  try {
    // Once before anything is made, so that nothing is put where it will be refused, and once with it in place.
    const before = refusal(inspectStateDirectory(directory, uid));
    if (before !== null) return fail(before);
    makeDirectory(directory);
    const found = refusal(inspectStateDirectory(directory, uid));
    if (found !== null) return fail(found);
    const paths = statePaths(canonical(directory));
    for (const path of [paths.approvals, paths.audit]) makeDirectory(path);
    return ok(paths);
  } catch (error) {
    return fail(ioDenial("open the state directory", directory, error));
  }
}

/** The first thing that refuses, with all of them in its details. */
export function refusal(findings: readonly Finding[]): Denial | null {
  const refusing = findings.filter(({ weight }) => weight === "refuses");
  const [first] = refusing;
  if (first === undefined) return null;
  const all = refusing.map(({ path, reason, remedy }) => ({ path, reason, remedy }));
  return denial("config.invalid", `\`${first.path}\` ${first.reason}; ${first.remedy}`, {
    path: first.path,
    reason: first.reason,
    findings: all,
  });
}

export interface Repair {
  readonly finding: Finding;
  readonly outcome: "mended" | "left" | "failed";
}

/** For `doctor --fix`: takes rights away from others where that is all it needs, in the order given. Never deletes, moves or gives away. */
export function repairStateDirectory(findings: readonly Finding[]): readonly Repair[] {
  return findings.map((finding) => {
    if (finding.mode === null) return { finding, outcome: "left" };
    try {
      setMode(finding.path, finding.mode);
      return { finding, outcome: "mended" };
    } catch {
      return { finding, outcome: "failed" };
    }
  });
}

/** Through a descriptor that follows no link, so that nothing can be slipped in between looking and changing. */
function setMode(path: AbsolutePath, mode: number): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile() && !fstatSync(fd).isDirectory()) throw new Error("neither a file nor a directory");
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

function makeDirectory(path: AbsolutePath): void {
  mkdirSync(parentOf(path), { recursive: true, mode: 0o700 });
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return;
    throw error;
  }
  // The umask may have taken bits away.
  chmodSync(path, 0o700);
}

/** Links above are resolved once, here, so that re-pointing one later moves nothing of ours. */
function canonical(directory: AbsolutePath): AbsolutePath {
  const parent = parseAbsolutePath(realpathSync(parentOf(directory)));
  if (!parent.ok) throw new Error("realpath gave a relative path");
  return resolvePath(parent.value, baseName(directory));
}
