import { type AbsolutePath, parentOf, resolvePath } from "../core/absolute-path.ts";
import { PATH_BYTES_MAX, PATH_LINKS_FOLLOWED_MAX, PATH_PARTS_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ToolMachine } from "./tool-call.ts";

/** A path as it was asked for, brought into absolute form, and the place where the kernel would end up with it. */
export interface RealPlace {
  readonly asked: AbsolutePath;
  readonly real: AbsolutePath;
}

/** What follows from a fault is always the same: a path that cannot be placed is denied. */
export function findPlace(path: string, cwd: AbsolutePath | null, machine: ToolMachine): Result<RealPlace, string> {
  if (path === "" || path.includes("\0") || Buffer.byteLength(path) > PATH_BYTES_MAX)
    return fail("the path is empty, too long or holds NUL");
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path)) return fail("a path is wanted, not a URL");
  const start = startOf(path, cwd, machine);
  if (start === null) return fail("a relative path needs `args.cwd` or a workspace, and `~` stands for no other user's home");
  const real = follow(start.from, start.parts, machine);
  return real.ok ? ok({ asked: resolvePath(start.from, ...start.parts), real: real.value }) : real;
}

function startOf(
  path: string,
  cwd: AbsolutePath | null,
  { home }: ToolMachine,
): { readonly from: AbsolutePath; readonly parts: readonly string[] } | null {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/")) return { from: resolvePath(home, "/"), parts };
  if (path === "~" || path.startsWith("~/")) return { from: home, parts: parts.slice(1) };
  return path.startsWith("~") || cwd === null ? null : { from: cwd, parts };
}

/**
 * Walks as the kernel does, path_resolution(7): a link is followed where it stands, and `..` climbs from where the link led. A name that
 * does not exist yet stays as it is, but a dangling link is still followed: writing through it would make the file at its end.
 */
function follow(from: AbsolutePath, parts: readonly string[], machine: ToolMachine): Result<AbsolutePath, string> {
  const root = resolvePath(from, "/");
  const pending = [...from.split("/").filter((part) => part !== ""), ...parts].toReversed();
  let at = root;
  let links = 0;
  let walked = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    walked += 1;
    if (walked > PATH_PARTS_MAX) return fail("the path has too many parts");
    if (part === "..") {
      at = parentOf(at);
      continue;
    }
    const next = resolvePath(at, part);
    const link = machine.linkAt(next);
    if (link === "none") {
      at = next;
      continue;
    }
    if (link === "hidden") return fail("the path goes through a directory that cannot be looked into");
    // proc(5): these links lead somewhere else for every process that follows them.
    if (next.startsWith("/proc/")) return fail("links in /proc lead elsewhere for the one who follows them");
    links += 1;
    if (links > PATH_LINKS_FOLLOWED_MAX) return fail("the path goes through too many links");
    if (link.target.startsWith("/")) at = root;
    for (const each of link.target.split("/").toReversed()) if (each !== "" && each !== ".") pending.push(each);
  }
  return ok(asSpelt(at, machine));
}

/** On a file system that takes `.SSH` for `.ssh` the lists must see the name that lies there. */
function asSpelt(path: AbsolutePath, machine: ToolMachine): AbsolutePath {
  const missing: string[] = [];
  for (let at = path; ; at = parentOf(at)) {
    const real = machine.realPath(at);
    if (real !== null) return resolvePath(real, ...missing.toReversed());
    if (at === "/") return path;
    missing.push(at.slice(at.lastIndexOf("/") + 1));
  }
}
