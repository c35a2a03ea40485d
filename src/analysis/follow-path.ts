import { type AbsolutePath, entryOf, parentOf, resolvePath } from "../core/absolute-path.ts";
import type { Machine } from "./machine.ts";

/**
 * Where a path leads, as the kernel walks it: links are followed before `..` climbs, so `link/../x` lies beside what the link points at,
 * path_resolution(7). `null` when something on the way is missing. The last component is not followed.
 */
export function followPath(path: string, from: AbsolutePath, machine: Pick<Machine, "realPath">): AbsolutePath | null {
  if (path === "" || path.includes("\0")) return null;
  let at: AbsolutePath = path.startsWith("/") ? resolvePath(from, "/") : from;
  for (const part of path.split("/")) {
    if (part === "..") {
      const real = machine.realPath(at);
      if (real === null) return null;
      at = parentOf(real);
    } else if (part !== "" && part !== ".") {
      at = entryOf(at, part);
    }
  }
  return at;
}
