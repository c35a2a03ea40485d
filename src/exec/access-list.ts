/** POSIX access control lists, acl(5), as the kernel stores them in `system.posix_acl_access`. */
import type { Native } from "../native/native.ts";
import type { Credentials } from "./credentials.ts";

/** `null` when there is none. `"unseen"` when nobody can tell: no native code, or the kernel would not say. */
export type AccessList = readonly AccessEntry[] | null | "unseen";

export interface AccessEntry {
  readonly tag: number;
  /** 4 read, 2 write, 1 execute. */
  readonly permissions: number;
  /** A uid or gid, where the tag names one. */
  readonly id: number;
}

const VERSION = 2;
const HEADER_BYTES = 4;
const ENTRY_BYTES = 8;
const NAMED_USER = 0x02;
const OWNING_GROUP = 0x04;
const NAMED_GROUP = 0x08;
const MASK = 0x10;
const OTHERS = 0x20;
const EVERYTHING = 7;

export function accessListOf(path: string, native: Native | null): AccessList {
  if (native === null) return "unseen";
  try {
    const stored = native.accessControlList(path);
    return stored === null ? null : parseAccessList(stored);
  } catch {
    return "unseen";
  }
}

/** linux/posix_acl_xattr.h: a version, then entries of tag, permissions and id, little-endian on every machine. */
export function parseAccessList(stored: Uint8Array): AccessList {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  const whole = stored.byteLength >= HEADER_BYTES && (stored.byteLength - HEADER_BYTES) % ENTRY_BYTES === 0;
  if (!whole || view.getUint32(0, true) !== VERSION) return "unseen";
  const count = (stored.byteLength - HEADER_BYTES) / ENTRY_BYTES;
  return Array.from({ length: count }, (_, index) => {
    const at = HEADER_BYTES + index * ENTRY_BYTES;
    return { tag: view.getUint16(at, true), permissions: view.getUint16(at + 2, true), id: view.getUint32(at + 4, true) };
  });
}

/** The access check algorithm of acl(5) for someone who does not own the file. */
export function listPermits(list: readonly AccessEntry[], who: Credentials, group: number, want: number): boolean {
  const mask = list.find(({ tag }) => tag === MASK)?.permissions ?? EVERYTHING;
  const grants = ({ permissions }: AccessEntry): boolean => (permissions & mask & want) === want;
  const user = list.find(({ tag, id }) => tag === NAMED_USER && id === who.uid);
  if (user !== undefined) return grants(user);
  const groups = list.filter(
    ({ tag, id }) => (tag === OWNING_GROUP || tag === NAMED_GROUP) && who.gids.includes(tag === NAMED_GROUP ? id : group),
  );
  if (groups.length > 0) return groups.some(grants);
  return list.some(({ tag, permissions }) => tag === OTHERS && (permissions & want) === want);
}

/** Whether the list names them, or one of their groups, with this permission: the mask bounds that, and lies in the mode's group bits. */
export function listNames(list: readonly AccessEntry[], who: Credentials, want: number): boolean {
  return list.some(
    ({ tag, permissions, id }) =>
      (permissions & want) === want && ((tag === NAMED_USER && id === who.uid) || (tag === NAMED_GROUP && who.gids.includes(id))),
  );
}
