/** Owners, modes and links along the whole path, what a crash left behind, and room on the disk. */
import { lstatSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { DISK_FREE_BYTES_MIN, DISK_FREE_BYTES_WEAK, DOCUMENT_LOCK_STALE_MS, TEMPORARY_STALE_MS } from "../../core/limits.ts";
import { inspectStateDirectory } from "../../store/inspect.ts";
import { repairStateDirectory } from "../../store/state-directory.ts";
import { sizeText } from "./bytes.ts";
import type { Finding } from "./finding.ts";
import type { Ground } from "./ground.ts";

const ABOUT = "state directory";

export function checkState(ground: Ground): readonly Finding[] {
  const { paths, uid } = ground;
  const found = inspectStateDirectory(paths.directory, uid).map((finding): Finding => {
    const { path, reason, remedy, weight, mode } = finding;
    const fix = (): void => {
      if (repairStateDirectory([finding])[0]?.outcome !== "mended") throw new Error("not mended");
    };
    return {
      about: ABOUT,
      level: weight === "refuses" ? "fails" : "weak",
      message: `\`${path}\` ${reason}`,
      remedy:
        isSecret(path, ground) && reason.includes("read by others")
          ? `${remedy}, then \`countersign token rotate\`: others may have it`
          : remedy,
      path,
      ...(mode === null ? {} : { fix }),
    };
  });
  if (lstatSync(paths.directory, { throwIfNoEntry: false }) === undefined) {
    return [
      ...found,
      {
        about: ABOUT,
        level: "note",
        message: `\`${paths.directory}\` does not exist yet`,
        remedy: "run `countersign init`, or start the daemon",
      },
    ];
  }
  const good: Finding = { about: ABOUT, level: "good", message: `\`${paths.directory}\`: owners, modes and links are in order` };
  return [...(found.length === 0 ? [good] : found), ...leftovers(ground), ...room(ground)];
}

function isSecret(path: string, { paths }: Ground): boolean {
  return path === paths.document || path === paths.operatorToken;
}

const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/;

/** What a crash left: half-written files, and the courtesy lock of an editor that never came back. */
function leftovers({ paths, nowMs }: Ground): readonly Finding[] {
  const names = readdirSync(paths.directory);
  const lock = `${paths.document}.lock`;
  const locked = lstatSync(lock, { throwIfNoEntry: false });
  const stale = locked !== undefined && nowMs - locked.mtimeMs > DOCUMENT_LOCK_STALE_MS;
  return [
    ...names
      // A running daemon makes such a file too, and renames it within milliseconds.
      .filter((name) => TEMPORARY.test(name) && nowMs - lstatSync(join(paths.directory, name)).mtimeMs > TEMPORARY_STALE_MS)
      .map(
        (name): Finding => ({
          about: "leftover",
          level: "note",
          message: `\`${join(paths.directory, name)}\` was left by a crash`,
          remedy: "run `countersign doctor --fix`",
          path: join(paths.directory, name),
          fix: () => rmSync(join(paths.directory, name)),
        }),
      ),
    ...(stale
      ? [
          {
            about: "leftover",
            level: "note",
            message: `\`${lock}\` is the lock of an edit that never ended`,
            remedy: "run `countersign doctor --fix`; the next edit would take it over anyway",
            path: lock,
            fix: () => rmSync(lock, { recursive: true }),
          } as const,
        ]
      : []),
  ];
}

/** Nothing runs when the log cannot be written, so a full disk is a full stop. */
function room({ paths }: Ground): readonly Finding[] {
  const { bavail, bsize } = statfsSync(paths.directory, { bigint: true });
  const free = Number(bavail * bsize);
  const about = "disk";
  if (free >= DISK_FREE_BYTES_WEAK) return [{ about, level: "good", message: `${sizeText(free)} free` }];
  const level = free < DISK_FREE_BYTES_MIN ? "fails" : "weak";
  return [
    { about, level, message: `only ${sizeText(free)} free where the log is written`, remedy: "free some; without a log nothing is run" },
  ];
}
