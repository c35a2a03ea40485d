import type { CommandPlan } from "../analysis/command-plan.ts";
import type { Machine } from "../analysis/machine.ts";
import type { Evidence } from "../binding/evidence.ts";
import type { VerifiedExec } from "../binding/verify.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import type { CancelSignal } from "../core/cancellation.ts";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import type { EnforcementLevel, ExecSettings } from "../policy/exec-settings.ts";
import type { Sight } from "./machine.ts";

/** Everything that touches a command: looking with the child's eyes, opening and hashing, starting, watching and ending. */
export interface ExecHost {
  readonly enforcement: Enforcement;
  /** The child's environment before overrides, its PATH and the machine as it sees it. */
  childOf(settings: ExecSettings): Result<Child, Denial>;
  /**
   * Opens and hashes everything that will run and keeps it open; whoever has the evidence must release it. With the child that the plan was
   * made for, what that has looked at is not looked at again: who may change a place is not something that they themselves can change.
   */
  hold(plan: CommandPlan, settings: ExecSettings, child?: Child): Promise<Result<Evidence, Denial>>;
  release(evidence: Evidence): void;
  /** Whether this could not be started at such a level: asked before anything is used up for it. */
  objectionTo(verified: VerifiedExec, minEnforcement: EnforcementLevel): Denial | null;
  /** Makes everything ready, starts exactly what is held once it may, and answers when no process of it is left. */
  launch(verified: VerifiedExec, io: LaunchIo): Promise<Result<Finished, Unfinished>>;
  /** Ends whatever is still running and lets go of everything. */
  stop(): Promise<void>;
}

export interface Enforcement {
  readonly level: EnforcementLevel;
  /** One row per part (script, executable, cwd, tree, peers …): `{ part, level, rests }`, `rests` in plain words. */
  readonly parts: readonly JsonObject[];
}

export interface Child {
  readonly machine: Machine;
  /** What has been seen of the file system for this request. */
  readonly sight: Sight;
  /** The same list as long as nothing that it rests on has changed. */
  readonly path: readonly string[];
  /** Under `tools.exec.runAs`: HOME, USER, LOGNAME, SHELL of the other user. */
  readonly identity: Readonly<Record<string, string>>;
  readonly home: AbsolutePath;
  /** The daemon's environment as it was at start. */
  readonly atStart: Readonly<Record<string, string | undefined>>;
}

export interface LaunchIo {
  /** Settles when the use of the permit is durable. Nothing starts before that, and nothing at all when it failed. */
  readonly mayStart: Promise<Result<void, Denial>>;
  readonly stdin: Uint8Array | null;
  /** Settles when there is room for more: a slow reader slows the child and never grows the daemon. */
  output(stream: "stdout" | "stderr", bytes: Uint8Array): void | Promise<void>;
  readonly timeoutMs: number;
  readonly signal: CancelSignal;
  readonly minEnforcement: EnforcementLevel | null;
  readonly runAs: string | null;
}

export interface Finished {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  readonly enforcement: EnforcementLevel;
  readonly escaped: readonly { readonly pid: number; readonly name: string }[];
}

/** Why a run is refused and, where something of it had started by then, how that was ended. */
export interface Unfinished extends Denial {
  readonly ended?: Finished;
}
