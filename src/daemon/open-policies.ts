/** The settings file as the road asks it: compiled when the file changes, and whoever listens hears of it. */
import { resolve } from "node:path";
import type { Denial } from "../core/denial.ts";
import { ok, type Result } from "../core/result.ts";
import { openSettingsFile } from "../store/settings-file.ts";
import type { DaemonOptions, Ground } from "./ground.ts";
import { denialDetails, type Log } from "./log.ts";
import { type Policies, policiesOf } from "./policies.ts";

export interface PolicySource {
  readonly path: string;
  current(): Policies;
  /** Why the file on disk is not what is in force, if so. */
  problem(): Denial | null;
  onChange(listener: () => void): void;
}

export function openPolicies(options: DaemonOptions, { paths, uid, home }: Ground, log: Log): Result<PolicySource, Denial> {
  const named = options.config ?? options.env["COUNTERSIGN_CONFIG"];
  let listener = (): void => undefined;
  const opened = openSettingsFile({
    path: named === undefined ? paths.settings : resolve(options.cwd, named),
    uid,
    named: named !== undefined,
    onChange: () => listener(),
    onRefused: (why) => log.error("the settings on disk are not in force; the old ones stay", denialDetails(why)),
  });
  if (!opened.ok) return opened;
  const file = opened.value;
  const places = { home, stateDirectory: paths.directory };
  let settings = file.current();
  let policies = policiesOf(settings, places);
  return ok({
    path: file.path,
    current() {
      const now = file.current();
      if (now !== settings) {
        settings = now;
        policies = policiesOf(now, places);
      }
      return policies;
    },
    problem: () => file.problem(),
    onChange: (given) => {
      listener = given;
    },
  });
}
