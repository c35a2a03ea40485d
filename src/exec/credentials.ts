/** Who a process is to the kernel, credentials(7). `gids` holds the primary group too. */
export interface Credentials {
  readonly uid: number;
  readonly gid: number;
  readonly gids: readonly number[];
}

/** This process's own, by its effective ids. A platform without them is one that nothing here is promised for: nobody, who owns nothing. */
export function ownCredentials(): Credentials {
  const uid = process.geteuid?.() ?? NOBODY;
  const gid = process.getegid?.() ?? NOBODY;
  return { uid, gid, gids: [...new Set([gid, ...(process.getgroups?.() ?? [])])] };
}

const NOBODY = 65534;
