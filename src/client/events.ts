/** What a notification carries, topic by topic: `EVENTS["exec.output"](params)` narrows what `subscribe` hands over. */
import type { Topic } from "../wire/params/session.ts";
import { isApproval } from "./results.ts";
import { count, flag, type Guard, maybe, nullable, object, oneOf, optional, text } from "./shape.ts";

/** A run that is streamed is told of its own start by the id alone. */
const about = { runId: text, agentId: optional(text), sessionKey: optional(text), command: optional(text) };

export const EVENTS = {
  "exec.approval.requested": isApproval,
  "exec.approval.resolved": isApproval,
  "exec.started": object({ ...about, decidedBy: optional(text), approvalId: maybe(text) }),
  "exec.output": object({ runId: text, stream: oneOf("stdout", "stderr"), seq: count, data: text }),
  "exec.finished": object({
    ...about,
    exitCode: nullable(count),
    signal: nullable(text),
    timedOut: flag,
    cancelled: flag,
    durationMs: count,
    code: nullable(text),
  }),
  "exec.denied": object({ code: text, message: text, agentId: text, sessionKey: text, command: text }),
  "policy.changed": object({ what: text, hash: optional(text), path: maybe(text) }),
} as const satisfies Readonly<Record<Topic, Guard<unknown>>>;
