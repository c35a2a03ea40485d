/** Everything that starts, watches and ends processes, put together for the level that this machine allows. */
import { closeSync, openSync } from "node:fs";
import type { VerifiedExec } from "../binding/verify.ts";
import { type Denial, denial } from "../core/denial.ts";
import { STARTED_AT_ONCE_MAX, STRAYS_LOOKED_FOR_AFTER_MS } from "../core/limits.ts";
import { fail, type Result } from "../core/result.ts";
import { canBecome } from "../native/become.ts";
import type { Native } from "../native/native.ts";
import type { EnforcementLevel } from "../policy/exec-settings.ts";
import { type Accounts, createAccounts } from "./accounts.ts";
import { childLimitOf } from "./child-limit.ts";
import type { Credentials } from "./credentials.ts";
import type { Finished, LaunchIo, Unfinished } from "./exec-host.ts";
import { type LaunchParts, launch, objectionToLaunch } from "./launch.ts";
import { createLivingRuns } from "./living-runs.ts";
import { OWN_DESCRIPTOR_FIRST, openNativeStreams, openNothing } from "./native-streams.ts";
import { openNodeStreams } from "./node-streams.ts";
import type { OwnProcess } from "./own-process.ts";
import { privateFile } from "./private-files.ts";
import { createProcessTree } from "./process-tree.ts";
import { createReaper } from "./reaper.ts";
import { createRecheck } from "./recheck.ts";
import { createSpawning } from "./spawning.ts";
import type { Supervision } from "./supervise.ts";

export interface Launcher {
  objectionTo(verified: VerifiedExec, minEnforcement: EnforcementLevel): Denial | null;
  launch(verified: VerifiedExec, io: LaunchIo): Promise<Result<Finished, Unfinished>>;
  stop(): Promise<void>;
}

export interface LauncherOptions {
  readonly native: Native | null;
  readonly own: OwnProcess;
  readonly stateDirectory: string;
  readonly canPin: boolean;
}

export function createLauncher(options: LauncherOptions): Launcher {
  const supervised = new Set<Supervision>();
  const under = new Set<Promise<unknown>>();
  const assembled = options.native === null ? withoutNative(options, supervised) : withNative(options.native, options, supervised);
  let stopping: Promise<void> | null = null;
  let looking: NodeJS.Timeout | null = null;

  let endingStrays: Promise<void> = Promise.resolve();

  /** One after the other, so that whoever waits for the last has waited for all. */
  function endStrays(): Promise<void> {
    const { tree } = assembled.parts;
    endingStrays = endingStrays.then(async () => {
      // Somebody who could not be ended in time is tried again.
      if (tree.leftBehind(null).any && (await tree.end(null)).length > 0) lookForStrays();
    });
    return endingStrays;
  }

  /** The cheap look when a run ends may have missed somebody. Whoever is still there a little later belongs to nobody. */
  function lookForStrays(): void {
    looking ??= setTimeout(() => {
      looking = null;
      void endStrays();
    }, STRAYS_LOOKED_FOR_AFTER_MS).unref();
  }

  async function end(): Promise<void> {
    for (const each of supervised) each.end("cancel");
    await Promise.allSettled(under);
    if (looking !== null) clearTimeout(looking);
    await endStrays();
    if (looking !== null) clearTimeout(looking);
    assembled.close();
  }

  return {
    objectionTo: (verified, minEnforcement) => objectionToLaunch(verified, minEnforcement, assembled.parts),
    launch(verified, io) {
      if (stopping !== null) return Promise.resolve(fail(denial("shutting-down", "the daemon is stopping; try again when it is back")));
      const running = launch(verified, io, assembled.parts);
      under.add(running);
      const forget = (): void => {
        under.delete(running);
        lookForStrays();
      };
      running.then(forget, forget);
      return running;
    },
    stop() {
      stopping ??= end();
      return stopping;
    },
  };
}

interface Assembled {
  readonly parts: LaunchParts;
  close(): void;
}

function withNative(native: Native, { own }: LauncherOptions, supervised: Set<Supervision>): Assembled {
  const reaper = createReaper(native);
  const beginning = new Set<object>();
  const limit = childLimitOf(native, own);
  // Of those who are about to start, not of those who run: whoever sleeps is in nobody's way.
  const isCrowded = (): boolean => beginning.size > STARTED_AT_ONCE_MAX;
  const spawning = createSpawning({ native, reaper, limit, isCrowded });
  const runs = createLivingRuns(own.isSubreaper);
  const nothing = openNothing(native);
  const accounts = createAccounts();
  return {
    parts: {
      runs,
      supervised,
      beginning,
      tree: createProcessTree(runs, reaper, own.isSubreaper),
      recheck: createRecheck(native),
      directoryLevel: "sealed",
      openStreams: (io) => openNativeStreams({ native, spawning, limit, credentials: credentialsOf(io, accounts), nothing }, io),
      copyOf(bytes) {
        const fd = native.sealedFile("script", bytes, "data");
        try {
          return native.duplicateFrom(fd, OWN_DESCRIPTOR_FIRST);
        } finally {
          closeSync(fd);
        }
      },
    },
    close() {
      reaper.stop();
      closeSync(nothing);
    },
  };
}

/** Looked up again for every start: an account that is gone by now is nobody to run as, and certainly not ourselves. */
function credentialsOf({ runAs }: LaunchIo, accounts: Accounts): Credentials | null {
  if (runAs === null) return null;
  const account = accounts.named(runAs);
  if (account === null || !canBecome) throw new Error("a command was about to start under an account that nobody can become");
  return account;
}

function withoutNative({ stateDirectory, canPin }: LauncherOptions, supervised: Set<Supervision>): Assembled {
  const runs = createLivingRuns(false);
  const nothing = openSync("/dev/null", "r+");
  return {
    parts: {
      runs,
      supervised,
      beginning: new Set(),
      // libuv buries what Node starts, and orphans go to init.
      tree: createProcessTree(runs, { isForeign: () => false, sweep: () => undefined }, false),
      recheck: createRecheck(null),
      directoryLevel: canPin ? "pinned" : "checked",
      openStreams(io) {
        if (io.runAs !== null) throw new Error("`tools.exec.runAs` without native code got past the look at the settings");
        return openNodeStreams({ stateDirectory, nothing, canPin }, io);
      },
      copyOf: (bytes) => privateFile(stateDirectory, bytes),
    },
    close: () => closeSync(nothing),
  };
}
