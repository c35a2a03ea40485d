import { type AbsolutePath, isInside, ROOT, resolvePath } from "../core/absolute-path.ts";
import { LINKS_FOLLOWED_MAX } from "../core/limits.ts";
import { followPath } from "./follow-path.ts";
import type { Machine } from "./machine.ts";

/**
 * The first argument that leads into our own state, however it is written: a bare name that is a link, `--file=PATH`, `host:PATH`, `@PATH`,
 * `-oPATH`. Such a command could rewrite the policy that lets it run, so no list may wave it through.
 */
export function argumentInState(words: readonly string[], cwd: AbsolutePath, machine: Machine): string | null {
  const state = machine.realPath(machine.stateDirectory) ?? machine.stateDirectory;
  if (isInside(cwd, state)) return cwd;
  const ours = [state, machine.stateDirectory];
  return words.find((word) => pathsIn(word).some((path) => leadsInto(path, cwd, ours, machine))) ?? null;
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

function leadsInto(path: string, cwd: AbsolutePath, ours: readonly AbsolutePath[], machine: Machine): boolean {
  const there = followPath(path, cwd, machine) ?? resolvePath(cwd, path);
  return [there, placeOf(there, machine)].some((place) => ours.some((directory) => isInside(place, directory)));
}

/**
 * Where a path really lies. What does not exist yet would be made where its nearest existing parent really is, or where a link to nothing
 * points: writing through `link` makes the file that it names.
 */
function placeOf(path: AbsolutePath, machine: Machine, hops = 0): AbsolutePath {
  const whole = machine.realPath(path);
  if (whole !== null) return whole;
  const parts = path.split("/").filter((part) => part !== "");
  const above = (count: number): AbsolutePath | null => machine.realPath(resolvePath(ROOT, ...parts.slice(0, count)));
  // Below something missing everything is missing. So this is a matter of a dozen looks, however deep somebody dug.
  let there = 0;
  for (let missing = parts.length; missing - there > 1; ) {
    const between = Math.floor((there + missing) / 2);
    if (above(between) === null) missing = between;
    else there = between;
  }
  const nearest = above(there) ?? ROOT;
  const [part = "", ...rest] = parts.slice(there);
  const text = hops < LINKS_FOLLOWED_MAX ? machine.linkText(resolvePath(nearest, part)) : null;
  if (text === null) return resolvePath(nearest, part, ...rest);
  // As the kernel walks it: a `..` behind another link climbs from where that link leads.
  const onward = [text, ...rest].join("/");
  return placeOf(followPath(onward, nearest, machine) ?? resolvePath(nearest, onward), machine, hops + 1);
}
