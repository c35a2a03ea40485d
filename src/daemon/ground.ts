/** What a daemon stands on before it does anything: who it is, where its state lies, and that nobody else works there. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { type AbsolutePath, parseAbsolutePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { lockByChild } from "../exec/lock-child.ts";
import { loadNative } from "../native/libc.ts";
import type { Native } from "../native/native.ts";
import { type InstanceLock, takeInstanceLock } from "../store/instance-lock.ts";
import type { StatePaths } from "../store/state-paths.ts";
import { openState } from "./init.ts";
import { type HandOver, takeHandOver } from "./systemd.ts";

export interface DaemonOptions {
  readonly stateDir?: string | undefined;
  readonly socket?: string | undefined;
  readonly config?: string | undefined;
  readonly allowRoot: boolean;
  readonly allowUnattended: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export interface Ground {
  readonly native: Native | null;
  readonly uid: number;
  readonly home: AbsolutePath;
  readonly paths: StatePaths;
  readonly lock: InstanceLock;
  readonly handOver: HandOver;
}

/** Whoever gets one must release its lock. */
export async function openGround(options: DaemonOptions): Promise<Result<Ground, Denial>> {
  const handOver = takeHandOver(options.env);
  if (!handOver.ok) return handOver;
  const uid = process.geteuid?.() ?? 0;
  if (uid === 0 && !options.allowRoot) return fail(asRoot());
  const home = realHome(options);
  if (!home.ok) return home;
  const native = loadNative();
  // Before any secret is read into memory.
  native?.becomeUndumpable();
  const paths = openState({ flag: options.stateDir, env: options.env, home: homeOf(options), cwd: options.cwd });
  if (!paths.ok) return paths;
  const lock = await takeInstanceLock(paths.value.lock, native, lockByChild);
  return lock.ok ? ok({ native, uid, home: home.value, paths: paths.value, lock: lock.value, handOver: handOver.value }) : lock;
}

export function homeOf({ env }: DaemonOptions): string {
  return env["HOME"] ?? homedir();
}

function realHome(options: DaemonOptions): Result<AbsolutePath, Denial> {
  const home = homeOf(options);
  try {
    const real = parseAbsolutePath(realpathSync(home));
    if (real.ok) return real;
  } catch {
    // Said below.
  }
  return fail(denial("config.invalid", `HOME is \`${home}\`, which is not a directory; set it to one`));
}

function asRoot(): Denial {
  return denial(
    "config.invalid",
    "the daemon does not run as root unasked: commands would have all of root's power; add --allow-root if they should",
  );
}
