/** Running a command, and asking about one. */
import type * as v from "valibot";
import type { Denial } from "../../core/denial.ts";
import {
  APPROVAL_TIMEOUT_MAX_MS,
  APPROVAL_TIMEOUT_MIN_MS,
  APPROVAL_TOKEN_BYTES_MAX,
  PATH_BYTES_MAX,
  WHICH_NAMES_MAX,
} from "../../core/limits.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { invalid } from "../complaint.ts";
import { agentId, exactly, flag, listOf, lookupId, notBoth, optional, text, whole, word } from "../schema.ts";
import { type CommandParams, commandEntries, commandOf, commandRules } from "./command.ts";

export const prepare = exactly(commandEntries, ...commandRules);

export const approvalTimeoutMs = whole(APPROVAL_TIMEOUT_MIN_MS, APPROVAL_TIMEOUT_MAX_MS);

export const run = exactly(
  {
    ...commandEntries,
    approvalId: optional(lookupId),
    approvalToken: optional(text(1, APPROVAL_TOKEN_BYTES_MAX)),
    stream: optional(flag),
    wait: optional(flag),
    approvalTimeoutMs: optional(approvalTimeoutMs),
  },
  ...commandRules,
  notBoth("approvalId", "approvalToken"),
);

export interface RunParams {
  readonly command: CommandParams;
  readonly approval:
    | { readonly kind: "none" }
    | { readonly kind: "id"; readonly id: string }
    | { readonly kind: "token"; readonly token: string };
  readonly stream: boolean;
  readonly wait: boolean;
  readonly approvalTimeoutMs: number | null;
  /** What the client believes would run; anything else is refused, whatever allows it. Only OpenClaw's dialect says it here. */
  readonly expectedBinding: string | null;
}

export function runOf(sent: v.InferOutput<typeof run>): Result<RunParams, Denial> {
  const { approvalId, approvalToken, stream, wait, approvalTimeoutMs, ...rest } = sent;
  const command = commandOf(rest);
  if (!command.ok) return command;
  if (approvalId !== undefined && approvalToken !== undefined) {
    return fail(invalid("approvalToken", "must not stand beside `approvalId`; send one of the two"));
  }
  return ok({
    command: command.value,
    approval: approvalOf(approvalId, approvalToken),
    stream: stream ?? false,
    wait: wait ?? false,
    approvalTimeoutMs: approvalTimeoutMs ?? null,
    expectedBinding: null,
  });
}

function approvalOf(id: string | undefined, token: string | undefined): RunParams["approval"] {
  if (id !== undefined) return { kind: "id", id };
  return token === undefined ? { kind: "none" } : { kind: "token", token };
}

export const cancelRun = exactly({ runId: lookupId });

export const which = exactly({ names: listOf(word(PATH_BYTES_MAX), 1, WHICH_NAMES_MAX), agentId: optional(agentId) });
