import type { CommandPlan, CommandRequest } from "../analysis/command-plan.ts";
import type { Machine } from "../analysis/machine.ts";
import type { AppendableEvent } from "../approvals/events.ts";
import type { ApprovalRecord } from "../approvals/record.ts";
import type { Allowed } from "../approvals/transition.ts";
import type { ApprovalToken } from "../auth/approval-token.ts";
import type { Denial } from "../core/denial.ts";
import type { AgentId, ApprovalId, RunId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import type { Sha256 } from "../core/sha256.ts";
import type { ExecHost } from "../exec/exec-host.ts";
import type { NewEntry } from "../policy/allow-entry.ts";
import type { ExecDocument } from "../policy/document.ts";
import type { EntryUse } from "../policy/document-edit.ts";
import type { CompiledRules } from "../policy/rules.ts";
import type { StoredDocument } from "../store/document-file.ts";
import type { Display } from "../wire/display.ts";
import type { RunParams } from "../wire/params/run.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { Asker } from "./asker.ts";
import type { Clock } from "./clock.ts";
import type { EventHub } from "./event-hub.ts";
import type { Policies } from "./policies.ts";
import type { Runs } from "./runs.ts";

/** The effects, gathered into one record: what the road may do to the world, and all it may do. */
export interface World extends Pick<ExecHost, "enforcement" | "childOf" | "hold" | "release" | "objectionTo" | "launch"> {
  readonly clock: Clock;
  readonly desk: ApprovalDesk;
  readonly hub: EventHub;
  readonly runs: Runs;
  readonly hostId: string;
  /** Answers come without a person's screen attached: `--allow-unattended`. */
  readonly allowUnattended: boolean;
  approvalTimeoutMs(): number;
  /** Fires when the daemon begins to stop: nothing new starts, and nobody is kept waiting for a person. */
  readonly stopping: AbortSignal;
  newRunId(): RunId;
  newEntryId(): string;

  /** As the settings are now. Whoever judges one request takes them once: no part of it is judged by an older or a newer version. */
  policies(): Pick<Policies, "judgeExecTool" | "execFor">;
  /** Read again whenever the file's stat changed; a broken one fails closed here. */
  document(): Result<StoredDocument, Denial>;
  rulesFor(document: ExecDocument, agentId: AgentId, machine: Machine): Promise<CompiledRules>;
  changeDocument(baseHash: string | null, edit: (document: ExecDocument) => Result<ExecDocument, Denial>): Promise<Result<string, Denial>>;
  addEntries(agentId: AgentId, entries: readonly NewEntry[]): Promise<Result<void, Denial>>;
  /** When an entry was last used is written down later, off the path of a run. */
  recordUse(use: EntryUse): void;

  append(event: AppendableEvent): Promise<Result<unknown, Denial>>;
  note(event: AppendableEvent): void;
  /** A refusal, for the log and for whoever listens: what was asked, by whom, and the code. */
  noteDenied(why: Denial, params: RunParams, asker: Asker, prepared: { readonly agentId: AgentId; readonly display: Display } | null): void;
  keepRecord(record: ApprovalRecord): Promise<Result<Sha256, Denial>>;
  record(id: ApprovalId): ApprovalRecord | undefined;
  /** The scripts it is about and what was allowed of them before, for an operator to read; by path. */
  textsOf(record: ApprovalRecord): JsonObject;
  /** For the next time: what changed since is shown then. */
  rememberTexts(record: ApprovalRecord): Promise<void>;
  plan(request: CommandRequest, machine: Machine): Result<CommandPlan, Denial>;
  /** For tests that kill the daemon between consumption and start; does nothing otherwise. */
  afterConsumption(): Promise<void>;

  signToken(approval: Allowed): Promise<string>;
  readToken(token: string): Promise<Result<ApprovalToken, Denial>>;
}
