/** What may be asked to run, as a caller writes it. The daemon's own parser has the last word; this is for editors and compilers. */

/** Words taken as they stand, or shell text: exactly one of the two. */
export type CommandRequest = (
  | { readonly argv: readonly string[]; readonly command?: never }
  | { readonly command: string; readonly argv?: never }
) & {
  /** Absolute; the child's home where it is left out. */
  readonly cwd?: string;
  /** Overrides: the child's environment is otherwise built from nothing. */
  readonly env?: Readonly<Record<string, string>>;
  readonly agentId?: string;
  readonly sessionKey?: string;
  /** The command's own time limit. */
  readonly timeoutMs?: number;
  readonly stdin?: string;
  readonly stdinBase64?: string;
  /** These two may only tighten what the host says. */
  readonly security?: "deny" | "allowlist" | "full";
  readonly ask?: "off" | "on-miss" | "always";
  /** The gateway's claim about who asked: recorded and shown, never bound. */
  readonly context?: {
    readonly provider?: string;
    readonly model?: string;
    readonly senderIsOwner?: boolean;
    readonly sandboxed?: boolean;
    readonly subagentDepth?: number;
    readonly sender?: string | Readonly<Partial<Record<"id" | "from" | "name" | "username" | "tag" | "e164", string>>>;
    readonly channel?: string;
    readonly elevated?: "off" | "on" | "ask" | "full";
  };
};

export type RunRequest = CommandRequest & {
  readonly approvalId?: string;
  readonly approvalToken?: string;
  /** If somebody has to approve it first: ask, and wait. */
  readonly wait?: boolean;
  readonly approvalTimeoutMs?: number;
  /** On by default here: the output comes as it is written. */
  readonly stream?: boolean;
};

export type ApprovalRequest = CommandRequest & {
  /** Asking again with the same key gives the same approval. */
  readonly requestKey?: string;
  readonly approvalTimeoutMs?: number;
  /** Answer with the id at once, not with the decision. */
  readonly twoPhase?: boolean;
  readonly host?: string;
  readonly turnSourceChannel?: string;
};
