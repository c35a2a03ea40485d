/** The directories in which a child's programs are looked for, `tools.exec.path` of the settings. */
import { dirname } from "node:path";
import { quoted } from "../analysis/quoted.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ExecSettings } from "../policy/exec-settings.ts";
import type { ChildIdentity } from "./child.ts";
import type { Sight } from "./machine.ts";
import { isWorldWritable } from "./permission.ts";
import { anyoneCanExchange } from "./scrutiny.ts";
import { type Witnesses, witnessesOf } from "./witnesses.ts";

/** What execvp(3) takes where there is no PATH. */
const WITHOUT_PATH = "/bin:/usr/bin";

export interface ChildPaths {
  of(settings: ExecSettings, child: Pick<ChildIdentity, "credentials" | "isOurselves">, sight: Sight): Result<readonly string[], Denial>;
}

interface Answered {
  readonly path: readonly string[];
  readonly child: string;
  readonly witnesses: Witnesses;
}

/** Every command asks, and almost always the answer is the one before: then the places are looked at, and nothing is worked out. */
export function createChildPaths(inherited: string | undefined): ChildPaths {
  const answered = new WeakMap<ExecSettings, Answered>();
  return {
    of(settings, { credentials, isOurselves }, sight) {
      const who = isOurselves ? "ourselves" : `${credentials.uid} ${credentials.gids.join(" ")}`;
      const before = answered.get(settings);
      if (before !== undefined && before.child === who && before.witnesses.stillStand(sight.walker)) return ok(before.path);
      const path = childPath(settings, inherited, sight);
      const witnesses = witnessesOf(sight.walker, isOurselves ? "where-the-group-may-write" : "everywhere", Date.now());
      if (path.ok && witnesses !== null) answered.set(settings, { path: path.value, child: who, witnesses });
      return path;
    },
  };
}

/** Configured directories are the operator's word and stay as they are; the daemon's own are cleaned first. */
function childPath(settings: ExecSettings, inherited: string | undefined, sight: Sight): Result<readonly string[], Denial> {
  const wrong = [...settings.pathPrepend, ...(settings.path ?? [])].find((entry) => !isPathEntry(entry));
  if (wrong !== undefined) {
    return fail(
      denial("config.invalid", `${quoted(wrong)} in \`tools.exec.path\` is not an absolute path without \`:\`; write it out in full`),
    );
  }
  return ok([...settings.pathPrepend, ...(settings.path ?? cleaned((inherited ?? WITHOUT_PATH).split(":"), sight))]);
}

/** A relative entry would make the working directory a place to look in, and a colon would make two of one. */
function isPathEntry(entry: string): boolean {
  return entry.startsWith("/") && !entry.includes("\0") && !entry.includes(":");
}

function cleaned(entries: readonly string[], sight: Sight): readonly string[] {
  const kept = entries.filter((entry) => isPathEntry(entry) && !isAnyones(entry, sight));
  const changeable = new Set(kept.filter((entry) => isTheChilds(entry, sight)));
  return [...kept.filter((entry) => !changeable.has(entry)), ...changeable];
}

/** A directory that is not there yet is as good as the nearest one above it that is: whoever may write there could make it. */
function isAnyones(entry: string, sight: Sight): boolean {
  const walked = sight.walker.walk(entry);
  if (walked === null) return entry !== "/" && isAnyones(dirname(entry), sight);
  return isWorldWritable(walked.found) || anyoneCanExchange(walked.path, sight.walker);
}

/** A link is as good as the place where it lies. */
function isTheChilds(entry: string, sight: Sight): boolean {
  const walked = sight.walker.walk(entry);
  if (walked === null) return entry === "/" || isTheChilds(dirname(entry), sight);
  return sight.byChild.changeable(walked.path) || walked.links.some((link) => sight.byChild.replaceable(link));
}
