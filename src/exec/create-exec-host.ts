/** Everything that touches a command, put together for the level that this machine was seen to allow. */
import { existsSync } from "node:fs";
import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Denial } from "../core/denial.ts";
import { ok, type Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";
import { createChildren } from "./child.ts";
import { enforcementOf } from "./enforcement.ts";
import type { ExecHost } from "./exec-host.ts";
import { createHold } from "./hold.ts";
import { createLauncher } from "./launcher.ts";
import { prepareOwnProcess } from "./own-process.ts";
import { probe } from "./probe.ts";

export interface ExecHostOptions {
  readonly native: Native | null;
  readonly atStart: Readonly<Record<string, string | undefined>>;
  readonly stateDirectory: AbsolutePath;
}

export async function createExecHost({ native, atStart, stateDirectory }: ExecHostOptions): Promise<Result<ExecHost, Denial>> {
  const probed = native === null ? null : probe(native, stateDirectory);
  // Half of it is a level that nobody has tested: then all goes without.
  const usable = probed?.seals === true && probed.spawns ? native : null;
  const own = prepareOwnProcess(usable);
  const canPin = existsSync("/proc/self/fd");
  const children = createChildren({ native: usable, atStart, stateDirectory });
  const holding = createHold({ children, native: usable, leasesHold: probed?.leasesHold ?? false });
  const launcher = createLauncher({ native: usable, own, stateDirectory, canPin });
  return ok({
    enforcement: enforcementOf(usable === null ? null : probed, own, canPin),
    childOf: (settings) => children.childOf(settings),
    hold: (plan, settings, child) => holding.hold(plan, settings, child),
    release: (evidence) => holding.release(evidence),
    objectionTo: (verified, minEnforcement) => launcher.objectionTo(verified, minEnforcement),
    launch: (verified, io) => launcher.launch(verified, io),
    async stop() {
      await launcher.stop();
      holding.stop();
    },
  });
}
