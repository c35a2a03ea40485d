/** The life of an approval: asked for, waited on, decided, looked at, taken back. */
import * as v from "valibot";
import type { Denial } from "../../core/denial.ts";
import { APPROVAL_PREFIX_CHARS_MIN, GRANT_USES_MAX, REASON_BYTES_MAX, REQUEST_KEY_CHARS_MAX } from "../../core/limits.ts";
import { ok, type Result } from "../../core/result.ts";
import { exactly, flag, lookupId, name, oneOf, optional, page, text, whole } from "../schema.ts";
import { type CommandParams, commandEntries, commandOf, commandRules } from "./command.ts";
import { approvalTimeoutMs } from "./run.ts";

export const requestApproval = exactly(
  {
    ...commandEntries,
    requestKey: optional(v.pipe(text(1, REQUEST_KEY_CHARS_MAX), v.regex(/^[\x20-\x7e]*$/, "must be printable ASCII"))),
    approvalTimeoutMs: optional(approvalTimeoutMs),
    twoPhase: optional(flag),
    host: optional(name),
    turnSourceChannel: optional(name),
  },
  ...commandRules,
);

export interface RequestApprovalParams {
  readonly command: CommandParams;
  readonly requestKey: string | null;
  readonly approvalTimeoutMs: number | null;
  readonly twoPhase: boolean;
  readonly host: string | null;
  readonly turnSourceChannel: string | null;
}

export function requestApprovalOf(sent: v.InferOutput<typeof requestApproval>): Result<RequestApprovalParams, Denial> {
  const { requestKey, approvalTimeoutMs, twoPhase, host, turnSourceChannel, ...rest } = sent;
  const command = commandOf(rest);
  if (!command.ok) return command;
  return ok({
    command: command.value,
    requestKey: requestKey ?? null,
    approvalTimeoutMs: approvalTimeoutMs ?? null,
    twoPhase: twoPhase ?? false,
    host: host ?? null,
    turnSourceChannel: turnSourceChannel ?? null,
  });
}

export const byId = exactly({ id: lookupId });

const YEAR_MS = 366 * 24 * 3_600_000;

/** The id is whole or a prefix; which of the two, and whether it is anybody's, is for the records to say. */
export const resolveApproval = exactly({
  id: text(APPROVAL_PREFIX_CHARS_MIN, 36),
  decision: oneOf(["allow-once", "allow-always", "deny"]),
  reason: optional(text(0, REASON_BYTES_MAX)),
  scope: optional(oneOf(["executable", "command"])),
  expiresInMs: optional(whole(1, YEAR_MS)),
  uses: optional(whole(1, GRANT_USES_MAX)),
});

export const listApprovals = exactly({
  state: optional(oneOf(["pending", "allowed", "denied", "expired", "cancelled", "consumed"])),
  ...page,
});
