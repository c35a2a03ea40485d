/** What all checks start from: where everything should be, read once. Works without a daemon and changes nothing. */
import { homeOf, type Place } from "../../client/locate.ts";
import { defaultSettings, parseSettings, type Settings } from "../../config/settings.ts";
import type { AbsolutePath } from "../../core/absolute-path.ts";
import { parseAbsolutePath } from "../../core/absolute-path.ts";
import { type Denial, denial } from "../../core/denial.ts";
import { DOCUMENT_BYTES_MAX, SETTINGS_BYTES_MAX } from "../../core/limits.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { loadNative } from "../../native/libc.ts";
import type { Native } from "../../native/native.ts";
import { type ExecDocument, parseDocument } from "../../policy/document.ts";
import { readSafely } from "../../store/safe-file.ts";
import { type StatePaths, statePaths } from "../../store/state-paths.ts";
import type { CommandCall } from "../command.ts";
import { placeOf } from "../session.ts";

export interface Ground {
  readonly uid: number;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly place: Place;
  readonly paths: StatePaths;
  readonly native: Native | null;
  readonly nowMs: number;
  /** `null` when there is none. */
  readonly document: Result<ExecDocument, Denial> | null;
  readonly settingsPath: string;
  readonly settings: Result<Settings, Denial> | null;
}

export function groundOf(call: CommandCall): Ground {
  const { env } = call.io;
  const place = placeOf(call);
  const uid = process.geteuid?.() ?? 0;
  const paths = statePaths(absolute(place.stateDir));
  const settingsPath = call.text("config") ?? env["COUNTERSIGN_CONFIG"] ?? paths.settings;
  return {
    uid,
    home: homeOf(env),
    env,
    place,
    paths,
    native: loadNative(),
    nowMs: Date.now(),
    document: read(paths.document, uid, true, DOCUMENT_BYTES_MAX, parseDocument),
    settingsPath,
    settings: read(settingsPath, uid, false, SETTINGS_BYTES_MAX, (text) => parseSettings(text, settingsPath)),
  };
}

export function settingsInForce({ settings }: Ground): Settings {
  return settings?.ok === true ? settings.value : defaultSettings();
}

function read<Value>(
  path: string,
  uid: number,
  secret: boolean,
  bytesMax: number,
  parse: (text: string) => Result<Value, Denial>,
): Result<Value, Denial> | null {
  const found = readSafely(path, { uid, secret, bytesMax });
  switch (found.kind) {
    case "missing":
      return null;
    case "refused":
      return fail(denial("config.invalid", `\`${path}\` ${found.what}; ${found.remedy}`, { refused: path }));
    case "read": {
      try {
        const parsed = parse(new TextDecoder("utf-8", { fatal: true }).decode(found.bytes));
        return parsed.ok ? ok(parsed.value) : parsed;
      } catch {
        return fail(denial("state.corrupt", `\`${path}\` is not UTF-8; restore it from a copy`, { path }));
      }
    }
  }
}

function absolute(path: string): AbsolutePath {
  const parsed = parseAbsolutePath(path);
  if (!parsed.ok) throw new Error(`\`${path}\` is not an absolute path`);
  return parsed.value;
}
