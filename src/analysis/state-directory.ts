import { type AbsolutePath, childOf, isInside, resolvePath } from "../core/absolute-path.ts";
import { followPath } from "./follow-path.ts";
import type { Machine } from "./machine.ts";

/**
 * The first argument that leads into our own state, however it is written: a bare name that is a link, `--file=PATH`, `host:PATH`, `@PATH`,
 * `-oPATH`. Such a command could rewrite the policy that lets it run, so no list may wave it through.
 */
export function argumentInState(words: readonly string[], cwd: AbsolutePath, machine: Machine): string | null {
  const state = machine.realPath(machine.stateDirectory) ?? machine.stateDirectory;
  if (isInside(cwd, state)) return cwd;
  const seen = remembering(machine);
  const ours = [state, machine.stateDirectory];
  return words.find((word) => pathsIn(word).some((path) => leadsInto(path, cwd, ours, seen))) ?? null;
}

/** Thousands of arguments share a handful of directories; each is asked about once. */
function remembering(machine: Machine): Pick<Machine, "realPath"> {
  const known = new Map<AbsolutePath, AbsolutePath | null>();
  const realPath = (path: AbsolutePath): AbsolutePath | null => {
    const found = known.has(path) ? known.get(path) : machine.realPath(path);
    known.set(path, found ?? null);
    return found ?? null;
  };
  return { realPath };
}

/** PATH_MAX of Linux: a longer name leads nowhere. */
const PATH_CHARS_MAX = 4096;

function pathsIn(word: string): readonly string[] {
  if (word.includes("\0")) return [];
  const after = [...word.slice(0, PATH_CHARS_MAX).matchAll(/[=:,@]/g)].slice(0, 4).map((match) => word.slice(match.index + 1));
  const slash = word.indexOf("/");
  const glued = /^-[A-Za-z](.+)$/.exec(word)?.[1];
  const all = new Set([word, ...after, ...(slash > 0 ? [word.slice(slash)] : []), ...(glued === undefined ? [] : [glued])]);
  return [...all].filter((path) => path !== "" && path.length <= PATH_CHARS_MAX);
}

function leadsInto(path: string, cwd: AbsolutePath, ours: readonly AbsolutePath[], machine: Pick<Machine, "realPath">): boolean {
  const there = followPath(path, cwd, machine) ?? resolvePath(cwd, path);
  return [there, placeOf(there, machine)].some((place) => ours.some((directory) => isInside(place, directory)));
}

/** Where a path really lies. What does not exist yet would be made where its nearest existing parent really is. */
function placeOf(path: AbsolutePath, machine: Pick<Machine, "realPath">): AbsolutePath {
  const parts = path.split("/").filter((part) => part !== "");
  let walked = resolvePath(path, "/");
  let real = walked;
  for (const [index, part] of parts.entries()) {
    walked = childOf(walked, part);
    const next = machine.realPath(walked);
    if (next === null) return resolvePath(real, ...parts.slice(index));
    real = next;
  }
  return real;
}
