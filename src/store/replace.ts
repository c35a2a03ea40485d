/** Whole files, swapped in one step: whoever looks, and whenever the power fails, finds the old content or the new, never a mixture. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { ioDenial } from "./io-denial.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_DIRECTORY } = constants;
const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/;

export type Content = string | Uint8Array | readonly Uint8Array[];

export async function replaceFile(path: string, content: Content, mode = 0o600): Promise<Result<void, Denial>> {
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
  let file: FileHandle | null = null;
  try {
    file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    // The umask may have taken bits away, and must not decide who can read our files.
    await file.chmod(mode);
    // Each is written behind the one before.
    for (const part of typeof content === "string" || content instanceof Uint8Array ? [content] : content) await file.writeFile(part);
    await file.sync();
    await file.close();
    file = null;
    await rename(temporary, path);
  } catch (error) {
    await file?.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    return fail(ioDenial("write", path, error));
  }
  try {
    await syncDirectory(directory);
    return ok(undefined);
  } catch (error) {
    // The new content is in place for everyone who looks, but nobody can promise that it survives a power failure.
    return fail(ioDenial("make durable the new content of", path, error));
  }
}

/** fsync(2) on the directory: only then is a new, renamed or removed name itself on the disk. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, O_RDONLY | O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes what a crash in replaceFile left behind. Call it only while holding the instance lock, or another writer's file may go. */
export async function sweepTemporaries(directory: string): Promise<readonly string[]> {
  const swept: string[] = [];
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (!TEMPORARY.test(name) || !(await lstat(path)).isFile()) continue;
    await rm(path, { force: true });
    swept.push(path);
  }
  return swept;
}
