/** `countersign.json5` on disk. Without one the defaults hold; one that turns bad keeps the last good settings in force, and says so. */
import { lstatSync } from "node:fs";
import { defaultSettings, parseSettings, type Settings } from "../config/settings.ts";
import { type Denial, denial } from "../core/denial.ts";
import { SETTINGS_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type FileVersion, isStill, readSafely, utf8Of } from "./safe-file.ts";

export interface SettingsFile {
  readonly path: string;
  /** Looks at the file's stat and reads only when that changed. */
  current(): Settings;
  /** Why the file on disk is not what is in force, if so. */
  problem(): Denial | null;
}

export interface SettingsOptions {
  readonly path: string;
  readonly uid: number;
  /** Somebody named the file: then it must be there. */
  readonly named: boolean;
  /** Called when other settings came into force, and when a change was refused. */
  onChange(settings: Settings): void;
  onRefused(why: Denial): void;
}

export function openSettingsFile(options: SettingsOptions): Result<SettingsFile, Denial> {
  const { path } = options;
  const first = look(options);
  if (!first.outcome.ok) return first.outcome;
  let known = first;
  let inForce = first.outcome.value;

  function current(): Settings {
    if (known.version !== null ? isStill(known.version, path) : isStillMissing(known, options)) return inForce;
    const found = look(options);
    const isNew = sign(found) !== sign(known);
    known = found;
    if (found.outcome.ok && isNew) {
      inForce = found.outcome.value;
      options.onChange(inForce);
    } else if (!found.outcome.ok && isNew) {
      options.onRefused(found.outcome.failure);
    }
    return inForce;
  }

  return ok({
    path,
    current,
    problem() {
      current();
      return known.outcome.ok ? null : known.outcome.failure;
    },
  });
}

interface Known {
  readonly version: FileVersion | null;
  readonly outcome: Result<Settings, Denial>;
}

/** By which two looks are told apart, so that each change is told once. */
function sign({ version, outcome }: Known): string {
  return version?.identity ?? (outcome.ok ? "missing" : outcome.failure.message);
}

function isStillMissing(known: Known, options: SettingsOptions): boolean {
  return known.outcome.ok && lstatSync(options.path, { throwIfNoEntry: false }) === undefined;
}

function reading({ uid }: SettingsOptions): { readonly uid: number; readonly secret: false; readonly bytesMax: number } {
  return { uid, secret: false, bytesMax: SETTINGS_BYTES_MAX };
}

function look(options: SettingsOptions): Known {
  const { path, named } = options;
  const found = readSafely(path, reading(options));
  if (found.kind === "missing" && !named) return { version: null, outcome: ok(defaultSettings()) };
  if (found.kind === "missing") return { version: null, outcome: fail(invalid(path, "is not there", "create it or leave --config out")) };
  if (found.kind === "refused") return { version: null, outcome: fail(invalid(path, found.what, found.remedy)) };
  const text = utf8Of(found.bytes);
  const outcome = text === null ? fail(invalid(path, "is not UTF-8", "save it as UTF-8")) : parseSettings(text, path);
  return { version: found.version, outcome };
}

function invalid(path: string, what: string, remedy: string): Denial {
  return denial("config.invalid", `\`${path}\` ${what}; ${remedy}`, { path });
}
