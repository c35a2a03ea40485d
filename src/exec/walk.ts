/** Walks paths as the kernel does, path_resolution(7), and remembers what it saw: within one request every question gets one answer. */
import { lstatSync, readlinkSync } from "node:fs";
import { type AbsolutePath, entryOf, parentOf, ROOT } from "../core/absolute-path.ts";
import { LINKS_FOLLOWED_MAX, PATH_BYTES_MAX } from "../core/limits.ts";
import { isDirectory, isLink, type Seen, seenIn } from "./seen.ts";

export interface Walked {
  /** Without links. */
  readonly path: AbsolutePath;
  readonly found: Seen;
  /** Every symbolic link on the way, each by the canonical path of its directory and its own name. */
  readonly links: readonly AbsolutePath[];
}

export interface Walker {
  /** `null` when nothing is there, or nothing that may be reached. */
  walk(path: string): Walked | null;
  /** What lies under a path without links. */
  found(path: AbsolutePath): Seen | null;
  /** Where the link at this path points, as it was written. */
  target(link: AbsolutePath): string | null;
  /** The same without looking: what was seen there before, if anything was. */
  sawAt(path: AbsolutePath): Seen | null;
  /** Everything that was looked at so far: what an answer rests on that was found by looking. */
  seen(): ReadonlyMap<AbsolutePath, Seen | null>;
}

/** `mayEnter` says whether a directory may be searched; where the kernel has already said so by answering, it is always true. */
export function createWalker(mayEnter: (path: AbsolutePath, found: Seen) => boolean): Walker {
  const seen = new Map<AbsolutePath, Seen | null>();
  const targets = new Map<AbsolutePath, string | null>();
  const entered = new Map<AbsolutePath, boolean>();
  const walks = new Map<string, Walked | null>();

  function found(path: AbsolutePath): Seen | null {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const fresh = lstatOrNull(path);
    seen.set(path, fresh);
    return fresh;
  }

  function enters(directory: AbsolutePath, stats: Seen): boolean {
    const known = entered.get(directory);
    if (known !== undefined) return known;
    const fresh = mayEnter(directory, stats);
    entered.set(directory, fresh);
    return fresh;
  }

  function target(link: AbsolutePath): string | null {
    const known = targets.get(link);
    if (known !== undefined) return known;
    const fresh = readlinkOrNull(link);
    targets.set(link, fresh);
    return fresh;
  }

  /** Everything it rests on is remembered, so that a second walk would come to the same place. */
  function walk(path: string): Walked | null {
    const known = walks.get(path);
    if (known !== undefined) return known;
    const fresh = walkThere(path);
    walks.set(path, fresh);
    return fresh;
  }

  function walkThere(path: string): Walked | null {
    if (!path.startsWith("/") || path.includes("\0") || Buffer.byteLength(path) > PATH_BYTES_MAX) return null;
    const cut = path.lastIndexOf("/");
    // On from where the way to the directory ended: whoever names a thousand files in a deep place pays for its depth once.
    if (cut === 0 || cut === path.length - 1) return walkOn(path, ROOT, found(ROOT), []);
    const above = walk(path.slice(0, cut));
    return above === null ? null : walkOn(path.slice(cut + 1), above.path, above.found, above.links);
  }

  function walkOn(way: string, from: AbsolutePath, lies: Seen | null, before: readonly AbsolutePath[]): Walked | null {
    const links = [...before];
    const rest = partsOf(way);
    let at = from;
    let stats = lies;
    for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
      if (stats === null || !isDirectory(stats) || !enters(at, stats)) return null;
      if (part === ".") continue;
      const next = part === ".." ? parentOf(at) : entryOf(at, part);
      stats = found(next);
      if (stats === null) return null;
      if (!isLink(stats)) {
        at = next;
        continue;
      }
      const leads = links.length < LINKS_FOLLOWED_MAX ? target(next) : null;
      if (leads === null) return null;
      links.push(next);
      if (leads.startsWith("/")) at = ROOT;
      rest.push(...partsOf(leads));
      stats = found(at);
    }
    return stats === null ? null : { path: at, found: stats, links };
  }

  return { walk, found, target, sawAt: (path) => seen.get(path) ?? null, seen: () => new Map(seen) };
}

/** Last part first. A trailing slash asks for a directory, which `.` below it asks for as well. */
function partsOf(path: string): string[] {
  const names = path.split("/");
  const parts = path.endsWith("/") ? ["."] : [];
  for (let at = names.length - 1; at >= 0; at -= 1) {
    const name = names[at];
    if (name !== undefined && name !== "") parts.push(name);
  }
  return parts;
}

function lstatOrNull(path: AbsolutePath): Seen | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? null : seenIn(stats);
  } catch {
    return null;
  }
}

/** A target that is not UTF-8 would be walked to under another name than the kernel's, so it leads nowhere. */
function readlinkOrNull(link: AbsolutePath): string | null {
  try {
    const target = readlinkSync(link);
    return target.includes("\uFFFD") ? null : target;
  } catch {
    return null;
  }
}
