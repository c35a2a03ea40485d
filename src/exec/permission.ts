/** Who may do what to a file, computed from its owner, mode and list: for a child that is somebody else, and for what could happen later. */
import { type AccessList, listNames, listPermits } from "./access-list.ts";
import type { Credentials } from "./credentials.ts";
import { isDirectory } from "./seen.ts";

/** The part of stat(2) that says so. */
export interface Owned {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export const READ = 4;
export const WRITE = 2;
export const EXECUTE = 1;

const STICKY = 0o1000;

/** path_resolution(7), "Permissions", with the list of acl(5) where there is one. An unseen list leaves the mode's word standing. */
export function permits(who: Credentials, found: Owned, want: number, list: () => AccessList): boolean {
  const { mode, uid, gid } = found;
  if (who.uid === 0) return want !== EXECUTE || isDirectory(found) || (mode & 0o111) !== 0;
  if (who.uid === uid) return ((mode >> 6) & want) === want;
  const entries = list();
  if (entries !== null && entries !== "unseen") return listPermits(entries, who, gid, want);
  return ((who.gids.includes(gid) ? mode >> 3 : mode) & want) === want;
}

/** Whoever is suspected of changing things: somebody with these credentials, or everybody whom root does not trust with root. */
export type Suspect = Credentials | "anyone-but-root";

export function owns(suspect: Suspect, { uid }: Owned): boolean {
  return suspect === "anyone-but-root" ? uid !== 0 : uid === suspect.uid;
}

/**
 * Whether they could write to it, when in doubt yes. Nothing that a list grants reaches beyond the mode's group bits, which are its mask,
 * acl(5): only a file whose group may write needs a look at its list.
 */
export function couldWrite(suspect: Suspect, { mode, gid }: Owned, list: () => AccessList): boolean {
  if ((mode & 0o002) !== 0) return true;
  if ((mode & 0o020) === 0) return false;
  if (suspect === "anyone-but-root" || suspect.gids.includes(gid)) return true;
  const entries = list();
  return entries === "unseen" || (entries !== null && listNames(entries, suspect, WRITE));
}

/** The owner of a file may give itself any permission, chmod(2). */
export function couldChange(suspect: Suspect, found: Owned, list: () => AccessList): boolean {
  return owns(suspect, found) || couldWrite(suspect, found, list);
}

/** Whether they could put another file under this name: in a sticky directory only the owner of either may, unlink(2). */
export function couldReplace(suspect: Suspect, directory: Owned, entry: Owned, list: () => AccessList): boolean {
  if (owns(suspect, directory)) return true;
  if ((directory.mode & STICKY) !== 0 && !owns(suspect, entry)) return false;
  return couldWrite(suspect, directory, list);
}

/** Whether anyone at all could put another file under this name. */
export function anyoneCouldReplace(directory: Owned): boolean {
  return (directory.mode & 0o002) !== 0 && (directory.mode & STICKY) === 0;
}

export function isWorldWritable({ mode }: Owned): boolean {
  return (mode & 0o002) !== 0;
}
