/** A disk that failed us, as a no that names the path, the errno and what to do. */
import { type Denial, denial } from "../core/denial.ts";

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "free space on that disk",
  EDQUOT: "free space in that quota",
  EFBIG: "raise the file size limit",
  EROFS: "mount that file system writable",
  EACCES: "check its owner and mode with `countersign doctor`",
  EPERM: "check its owner and mode with `countersign doctor`",
  ENOENT: "run `countersign init`",
  EMFILE: "raise the descriptor limit",
  ENFILE: "raise the descriptor limit",
};

/** `act` completes the sentence "cannot …". */
export function ioDenial(act: string, path: string, error: unknown): Denial {
  const errno = errnoOf(error) ?? "unknown error";
  const remedy = REMEDIES[errno] ?? "check the disk and the kernel log";
  return denial("state.io", `cannot ${act} \`${path}\` (${errno}); ${remedy}`, { path, errno });
}

export function errnoOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}
