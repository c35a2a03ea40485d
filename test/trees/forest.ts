/** Sixty grandchildren that do what daemons do to be forgotten, and a way to find them that owes nothing to whoever has to end them. */
import { existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, pids } from "../support/processes.ts";

export interface Forest {
  readonly directory: string;
  readonly argv: readonly string[];
  /** Everybody alive whose words or whose directory lead here. */
  living(): readonly number[];
  /** Whether all of them are there. */
  isGrown(): boolean;
  /** Those that stay what they are, so that they can be named. */
  sleepers(): readonly number[];
}

const OF_EACH_KIND = 11;
const HOPPERS_WITH_MARKER = 3;
const HOPPERS_WITHOUT = 2;
/** Nobody is left for longer, should everything fail. */
const LIFE_SECONDS = 120;

export const GRANDCHILDREN = 5 * OF_EACH_KIND + HOPPERS_WITH_MARKER + HOPPERS_WITHOUT;

/** `$d/sleep` is sleep(1) under a name that only this forest has: whoever sheds everything else still says it. */
const PLANT = `d=$1
for i in ${Array.from({ length: OF_EACH_KIND }, (_, index) => index).join(" ")}; do
  # Another parent.
  ("$d/sleep" ${LIFE_SECONDS} &)
  # Another session.
  (setsid "$d/sleep" ${LIFE_SECONDS} &)
  # Another session, directory and environment, and nothing open: all that daemon(7) asks for.
  (cd / && setsid env -i "$d/sleep" ${LIFE_SECONDS} >/dev/null 2>&1 </dev/null &)
  # Deaf to whoever asks politely, in a session whose leader waits.
  (trap '' TERM HUP INT; setsid sh -c '"$0" ${LIFE_SECONDS} & wait' "$d/sleep" &)
  # The same in a session whose leader has gone, and without the environment.
  (setsid sh -c 'trap "" TERM HUP INT; (cd / && exec env -i "$0" ${LIFE_SECONDS} >/dev/null 2>&1 </dev/null &)' "$d/sleep" &)
done
for i in ${Array.from({ length: HOPPERS_WITH_MARKER }, (_, index) => index).join(" ")}; do (setsid $HOP &); done
for i in ${Array.from({ length: HOPPERS_WITHOUT }, (_, index) => index).join(" ")}; do
  (setsid env -i $HOP >/dev/null 2>&1 </dev/null &)
done
exec "$d/sleep" ${LIFE_SECONDS}
`;

const hopInPerl = (pauseSeconds: number): string =>
  `my $until = time + ${LIFE_SECONDS}; while (time < $until) { exit if fork; select undef, undef, undef, ${pauseSeconds} }\n`;
const HOP_SHELL = `[ "$(date +%s)" -lt "$1" ] && { /bin/sh "$0" "$1" & }\n`;

/** `pauseSeconds`: of those that fork and exit in a loop, between two turns. Without one they take all the machine has. */
export function plant(directory: string, pauseSeconds = 0): Forest {
  mkdirSync(directory, { recursive: true });
  const here = realpathSync(directory);
  symlinkSync(realpathSync("/bin/sleep"), join(here, "sleep"));
  const script = join(here, "plant.sh");
  writeFileSync(script, PLANT.replaceAll("$HOP", hopIn(here, pauseSeconds)));
  const matches = (pid: number, what: string): boolean => wordsOf(pid).some((word) => word.startsWith(what)) && isAlive(pid);
  const sleepers = (): readonly number[] => pids().filter((pid) => wordsOf(pid)[0] === join(here, "sleep") && isAlive(pid));
  return {
    directory: here,
    argv: ["/bin/sh", script, here],
    living: () => pids().filter((pid) => matches(pid, here) || (isIn(pid, here) && isAlive(pid))),
    sleepers,
    // Hoppers are between two places most of the time: one that is seen is enough.
    isGrown: () => sleepers().length === 5 * OF_EACH_KIND + 1 && pids().some((pid) => matches(pid, join(here, "hop"))),
  };
}

/** Forks and exits, and so has another number at every look. */
function hopIn(directory: string, pauseSeconds: number): string {
  const perl = existsSync("/usr/bin/perl");
  const script = join(directory, perl ? "hop.pl" : "hop.sh");
  writeFileSync(script, perl ? hopInPerl(pauseSeconds) : HOP_SHELL);
  return perl ? `/usr/bin/perl ${script}` : `/bin/sh ${script} $(($(date +%s) + ${LIFE_SECONDS}))`;
}

/** Of a shell that was given a script by a descriptor, the script's name is among them too. */
function wordsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function isIn(pid: number, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(directory);
  } catch {
    return false;
  }
}
