/**
 * The courtesy lock for editing `exec-approvals.json`. Two processes can hold it at once after a stale take-over (proper-lockfile issue 121),
 * so it keeps editors from wasting each other's work and guards nothing: the hash compare behind it does.
 */
import { type Denial, denial } from "../core/denial.ts";
import { DOCUMENT_LOCK_RETRIES_MAX, DOCUMENT_LOCK_RETRY_MS, DOCUMENT_LOCK_STALE_MS } from "../core/limits.ts";
import { fail, type Result } from "../core/result.ts";
import { ioDenial } from "./io-denial.ts";

/** `isHeld` turns false when the lock was lost on the way; whoever is about to write asks it last. */
export async function withDocumentLock<Value>(
  path: string,
  work: (isHeld: () => boolean) => Promise<Result<Value, Denial>>,
): Promise<Result<Value, Denial>> {
  // Loaded on the first edit: it hooks signals when it loads, and most commands never edit.
  const { lock } = await import("proper-lockfile");
  surviveFileSizeLimit();
  let held = true;
  let release: () => Promise<void>;
  try {
    release = await lock(path, {
      realpath: false,
      stale: DOCUMENT_LOCK_STALE_MS,
      retries: { retries: DOCUMENT_LOCK_RETRIES_MAX, factor: 1, minTimeout: DOCUMENT_LOCK_RETRY_MS, maxTimeout: DOCUMENT_LOCK_RETRY_MS },
      onCompromised: () => {
        held = false;
      },
    });
  } catch (error) {
    const busy = error instanceof Error && "code" in error && error.code === "ELOCKED";
    return fail(
      busy ? denial("state.conflict", `\`${path}\` is being edited by someone else; try again`, { path }) : ioDenial("lock", path, error),
    );
  }
  try {
    return await work(() => held);
  } finally {
    // A lock that was lost is not ours to release.
    await release().catch(() => undefined);
  }
}

/**
 * Node ignores SIGXFSZ, so that a write beyond `ulimit -f` fails with EFBIG. proper-lockfile's exit hook takes that away again, and the next
 * such write would end us: with a listener of our own it stays an error.
 */
function surviveFileSizeLimit(): void {
  if (!process.listeners("SIGXFSZ").includes(ignore)) process.on("SIGXFSZ", ignore);
}

function ignore(): void {
  // The write itself says what is wrong.
}
