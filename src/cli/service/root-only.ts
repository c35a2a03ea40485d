/** Who besides root could change a program: whoever can is stronger than the service account that runs it. */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";

/** The first thing on the way to `path` that somebody other than root could change, in words; `null` when there is none. */
export function changeableByOthers(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return `\`${path}\` does not exist`;
  if (found.uid !== 0) return `\`${path}\` belongs to uid ${found.uid}`;
  const writable = !found.isSymbolicLink() && (found.mode & 0o022) !== 0;
  // In a sticky directory such as /tmp only the owner of an entry can rename it, and the entry itself was looked at already.
  if (writable && (found.mode & 0o1000) === 0) return `\`${path}\` can be written by others than root`;
  const above = dirname(path);
  return above === path ? null : changeableByOthers(above);
}
