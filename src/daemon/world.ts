import type { CommandPlan, CommandRequest } from "../analysis/command-plan.ts";
import type { Machine } from "../analysis/machine.ts";
import type { JournalEvent } from "../approvals/events.ts";
import type { ApprovalRecord } from "../approvals/record.ts";
import type { Evidence } from "../binding/evidence.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Denial } from "../core/denial.ts";
import type { AgentId, ApprovalId, RunId } from "../core/ids.ts";
import type { Result } from "../core/result.ts";
import type { Sha256 } from "../core/sha256.ts";
import type { ExecHost } from "../exec/exec-host.ts";
import type { NewEntry } from "../policy/allow-entry.ts";
import type { ExecDocument } from "../policy/document.ts";
import type { ExecSettings } from "../policy/exec-settings.ts";
import type { CompiledRules } from "../policy/rules.ts";
import type { Display } from "../wire/display.ts";
import type { Claim } from "../wire/params/command.ts";
import type { RunParams } from "../wire/params/run.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { Asker } from "./asker.ts";
import type { Clock } from "./clock.ts";
import type { EventHub } from "./event-hub.ts";
import type { Runs } from "./runs.ts";

/** The effects, gathered into one record: what the road may do to the world, and all it may do. */
export interface World extends Pick<ExecHost, "enforcement" | "childOf" | "hold" | "release" | "launch"> {
  readonly clock: Clock;
  readonly desk: ApprovalDesk;
  readonly hub: EventHub;
  readonly runs: Runs;
  readonly hostId: string;
  /** Answers come without a person's screen attached: `--allow-unattended`. */
  readonly allowUnattended: boolean;
  readonly approvalTimeoutMs: number;
  isStopping(): boolean;
  newRunId(): RunId;
  newEntryId(): string;

  /** Layer 1 for `exec`, and layer 4 where the context claims elevation. */
  judgeExecTool(agentId: AgentId, context: Claim): Result<void, Denial>;
  settingsFor(agentId: AgentId): ExecSettings;
  /** For questions that name no agent: the connection's, else `main`. */
  settingsForConnection(agentId: AgentId | null): ExecSettings;
  /** Read again whenever the file's stat changed; a broken one fails closed here. */
  document(): Promise<Result<StoredDocument, Denial>>;
  rulesFor(document: ExecDocument, agentId: AgentId, machine: Machine): Promise<CompiledRules>;
  changeDocument(baseHash: string | null, edit: (document: ExecDocument) => Result<ExecDocument, Denial>): Promise<Result<string, Denial>>;
  addEntries(agentId: AgentId, entries: readonly NewEntry[]): Promise<Result<void, Denial>>;
  recordUse(use: { readonly key: string; readonly command: string; readonly path: AbsolutePath; readonly atMs: number }): void;

  append(event: JournalEvent): Promise<Result<{ readonly atMs: number }, Denial>>;
  note(event: JournalEvent): void;
  /** A refusal, for the log and for whoever listens: what was asked, by whom, and the code. */
  noteDenied(why: Denial, params: RunParams, asker: Asker, prepared: { readonly agentId: AgentId; readonly display: Display } | null): void;
  keepRecord(record: ApprovalRecord): Promise<Result<Sha256, Denial>>;
  record(id: ApprovalId): ApprovalRecord | undefined;
  /** What an allow-always would store for this command, in either scope. */
  offerGrants(prepared: {
    readonly plan: CommandPlan;
    readonly evidence: Evidence;
    readonly settings: ExecSettings;
  }): ApprovalRecord["grants"];

  plan(request: CommandRequest, machine: Machine): Result<CommandPlan, Denial>;
  /** For tests that kill the daemon between consumption and start; does nothing otherwise. */
  afterConsumption(): Promise<void>;

  signToken(claims: { readonly jti: string; readonly bnd: string; readonly dec: string; readonly expMs: number }): Promise<string>;
  readToken(token: string): Promise<Result<TokenClaims, Denial>>;
}

export interface StoredDocument {
  readonly document: ExecDocument;
  readonly hash: string;
  readonly path: string;
}

export interface TokenClaims {
  /** `null` for our own tokens, else the name the key was enrolled under. */
  readonly issuer: string | null;
  readonly agents: readonly string[] | null;
  readonly jti: string;
  readonly bnd: string;
  readonly expMs: number;
  readonly dec: string;
}
