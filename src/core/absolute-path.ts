import { posix } from "node:path";
import type { Brand } from "./brand.ts";
import { fail, ok, type Result } from "./result.ts";

/** Absolute, without `.`, `..`, doubled or trailing slashes, and without NUL. Says nothing about what lies there. */
export type AbsolutePath = Brand<string, "AbsolutePath">;

export function parseAbsolutePath(text: string): Result<AbsolutePath, "not-absolute"> {
  return isAbsolutePath(text) ? ok(text) : fail("not-absolute");
}

export const ROOT: AbsolutePath = rootPath();

function rootPath(): AbsolutePath {
  const root = parseAbsolutePath("/");
  if (!root.ok) throw new Error("the root is not an absolute path");
  return root.value;
}

/** Joins lexically: `..` climbs by name alone, so call it on paths whose links are resolved. */
export function resolvePath(base: AbsolutePath, ...parts: readonly string[]): AbsolutePath {
  const joined = posix.resolve(base, ...parts);
  if (!isAbsolutePath(joined)) throw new Error("a path with NUL reached resolvePath");
  return joined;
}

/** One name further down. Cheaper than resolvePath, for walks that take a path apart name by name. */
export function entryOf(directory: AbsolutePath, name: string): AbsolutePath {
  const path = directory === "/" ? `/${name}` : `${directory}/${name}`;
  if (!isEntry(path, name)) throw new Error("something that is no file's name reached entryOf");
  return path;
}

export function baseName(path: string): string {
  return posix.basename(path);
}

/** Cut off and not resolved: a path of this kind has nothing in it to resolve, and walks ask for every parent up to the root. */
export function parentOf(path: AbsolutePath): AbsolutePath {
  const parent = path.slice(0, path.lastIndexOf("/"));
  return isCutFrom(path, parent) ? parent : ROOT;
}

export function isInside(path: AbsolutePath, directory: AbsolutePath): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}

function isEntry(path: string, name: string): path is AbsolutePath {
  return path !== "" && name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("\0");
}

function isCutFrom(path: AbsolutePath, parent: string): parent is AbsolutePath {
  return parent !== "" && path.startsWith(parent);
}

function isAbsolutePath(text: string): text is AbsolutePath {
  return text.startsWith("/") && !text.includes("\0") && posix.normalize(text) === text && (text === "/" || !text.endsWith("/"));
}
