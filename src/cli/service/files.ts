/** Puts the files of an installation in place and takes them away again. What somebody else wrote is never touched. */
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../../store/io-denial.ts";
import { type InstalledFile, isOurs } from "./installation.ts";

export interface Placed {
  readonly path: string;
  readonly outcome: "wrote" | "updated" | "unchanged" | "kept" | "removed" | "absent" | "foreign";
}

/** All or nothing as far as other people's files go: with one of them in the way, none of ours is written. */
export function place(files: readonly InstalledFile[], root: string): readonly Placed[] {
  const looked = files.map((file) => ({ file, target: join(root, file.path), found: contentOf(join(root, file.path)) }));
  const foreign = looked.filter(({ file, found }) => found !== null && !file.keepEdits && !isOurs(found));
  if (foreign.length > 0) return foreign.map(({ target }) => ({ path: target, outcome: "foreign" }));
  return looked.map(({ file, target, found }) => {
    if (found === file.text) return { path: target, outcome: "unchanged" };
    if (found !== null && file.keepEdits) return { path: target, outcome: "kept" };
    write(target, file.text);
    return { path: target, outcome: found === null ? "wrote" : "updated" };
  });
}

export function remove(files: readonly InstalledFile[], links: readonly string[], root: string): readonly Placed[] {
  const unlinked = links.map((link): Placed => {
    const path = join(root, link);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return { path, outcome: "absent" };
    rmSync(path);
    return { path, outcome: "removed" };
  });
  const done = files.map((file): Placed => {
    const path = join(root, file.path);
    const found = contentOf(path);
    if (found === null) return { path, outcome: "absent" };
    if (file.keepEdits && found !== file.text) return { path, outcome: "kept" };
    if (!file.keepEdits && !isOurs(found)) return { path, outcome: "foreign" };
    rmSync(path);
    return { path, outcome: "removed" };
  });
  for (const { path } of done.filter(({ outcome }) => outcome === "removed")) removeIfOurs(dirname(path));
  return [...unlinked, ...done];
}

/** Directories that exist for us alone go with their last file; all others stay, empty or not. */
function removeIfOurs(directory: string): void {
  if (!/\/(?:countersign|countersign\.service\.d)$/.test(directory)) return;
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errnoOf(error) ?? "")) throw error;
  }
}

/** Whole or not at all: a service manager that reloads in between must not read half a unit. */
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { flag: "wx", mode: 0o644 });
  // Units are read by people and by tools of other accounts; a tight umask would hide them.
  chmodSync(temporary, 0o644);
  renameSync(temporary, path);
}

export function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return null;
    throw error;
  }
}
