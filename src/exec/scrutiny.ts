/** Who could change a file, or put another one in its place, somewhere along its whole path. */
import { type AbsolutePath, isInside, parentOf, ROOT, resolvePath } from "../core/absolute-path.ts";
import type { Native } from "../native/native.ts";
import { type AccessList, accessListOf } from "./access-list.ts";
import type { Credentials } from "./credentials.ts";
import { anyoneCouldReplace, couldChange, couldReplace, isWorldWritable, type Suspect } from "./permission.ts";
import type { Walker } from "./walk.ts";

export interface Scrutiny {
  /** `path` is canonical. Whether they could change what lies there, or any directory on the way. What is missing counts as changeable. */
  changeable(path: AbsolutePath): boolean;
  /** Whether they could put something else under this path, whatever they may do to the file itself. */
  replaceable(path: AbsolutePath): boolean;
}

type Look = Pick<Walker, "found">;

/** With the child's own power. */
export function scrutinyOf(child: Credentials, look: Look, native: Native | null): Scrutiny {
  return child.uid === 0 ? scrutinyOfEveryone(child, look, native) : createScrutiny(child, () => false, look, native);
}

/**
 * With everybody's power but root's. A child of uid 0 can change everything, and no promise holds against root; but a workspace does not
 * become the system's because its commands run as root. So for such a child only the system's own directories count as root's, and a
 * script of its own is hashed, sealed and asked about again as anybody's is.
 */
export function scrutinyOfEveryone(child: Credentials, look: Look, native: Native | null): Scrutiny {
  const isWorkspace = (path: AbsolutePath): boolean => child.uid === 0 && !SYSTEM_PLACES.some((place) => isInside(path, place));
  return createScrutiny("anyone-but-root", isWorkspace, look, native);
}

/** Filled by package managers: programs, and in `/etc/alternatives` and `/run/current-system` the links that lead to them. */
const SYSTEM_PLACES = "usr bin sbin lib lib32 lib64 opt etc run var/lib nix gnu snap System"
  .split(" ")
  .map((place) => resolvePath(ROOT, place));

function createScrutiny(suspect: Suspect, isTheirs: (path: AbsolutePath) => boolean, look: Look, native: Native | null): Scrutiny {
  const known = new Map<AbsolutePath, boolean>();
  const listOf = (path: AbsolutePath) => (): AccessList => accessListOf(path, native);

  function replaceable(path: AbsolutePath): boolean {
    if (path === "/") return false;
    const before = known.get(path);
    if (before !== undefined) return before;
    const directory = parentOf(path);
    const outer = look.found(directory);
    const entry = look.found(path);
    const answer = outer === null || entry === null || couldReplace(suspect, outer, entry, listOf(directory)) || replaceable(directory);
    known.set(path, answer);
    return answer;
  }

  return {
    replaceable: (path) => isTheirs(path) || replaceable(path),
    changeable(path) {
      const entry = look.found(path);
      return entry === null || isTheirs(path) || couldChange(suspect, entry, listOf(path)) || replaceable(path);
    },
  };
}

export function liesInWorldWritable(path: AbsolutePath, look: Look): boolean {
  const directory = look.found(parentOf(path));
  return directory === null || isWorldWritable(directory) || anyoneCanExchange(path, look);
}

/** Whether anyone could put something else under this path: a directory on the way is open to all, and not sticky as /tmp is. */
export function anyoneCanExchange(path: AbsolutePath, look: Look): boolean {
  for (let at = path; at !== "/"; at = parentOf(at)) {
    const directory = look.found(parentOf(at));
    if (directory === null || anyoneCouldReplace(directory)) return true;
  }
  return false;
}
