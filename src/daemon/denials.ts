/** Refusals, for the log and for whoever listens. A flood of them is counted instead of written: it must not push the history out. */
import type { AppendableEvent } from "../approvals/events.ts";
import { type ApprovalId, isApprovalId } from "../core/ids.ts";
import { DENIALS_RECORDED_PER_MINUTE_MAX } from "../core/limits.ts";
import { ok } from "../core/result.ts";
import type { Display } from "../wire/display.ts";
import type { RunParams } from "../wire/params/run.ts";
import { shownText } from "../wire/shown-text.ts";
import type { Clock } from "./clock.ts";
import type { EventHub } from "./event-hub.ts";
import type { World } from "./world.ts";

export function createDenials(clock: Clock, hub: EventHub, note: (event: AppendableEvent) => void): World["noteDenied"] {
  let minute = 0;
  let recorded = 0;
  let unrecorded = 0;

  function hasRoom(): boolean {
    const now = Math.floor(clock.nowMs() / 60_000);
    if (now !== minute) {
      if (unrecorded > 0) note({ type: "security.event", details: { kind: "denials-not-recorded", count: unrecorded } });
      minute = now;
      recorded = 0;
      unrecorded = 0;
    }
    recorded += 1;
    if (recorded > DENIALS_RECORDED_PER_MINUTE_MAX) unrecorded += 1;
    return recorded <= DENIALS_RECORDED_PER_MINUTE_MAX;
  }

  return (why, params, asker, prepared) => {
    const agent = prepared === null ? asker.agentFor(params.command.agentId) : ok(prepared.agentId);
    // Whoever may not even name the agent leaves no trace under its name.
    if (!agent.ok) return;
    const { sessionKey } = params.command;
    const about = { code: why.code, message: why.message, agentId: agent.value, sessionKey, command: shownCommand(params, prepared) };
    hub.publish("exec.denied", asker.credential, about);
    if (!hasRoom()) return;
    // Somebody tried to leave a sandbox: that is looked for by its own name.
    if (why.code === "policy.elevated-refused") note({ type: "security.event", details: { kind: why.code, ...why.details } });
    note({ type: "run.denied", ...about, credential: asker.credential, approvalId: approvalIn(params) });
  };
}

/** Cut, with the length it had: what did not run need not be shown whole, and must not fill the log. */
function shownCommand({ command }: RunParams, prepared: { readonly display: Display } | null): string {
  const shown = command.form.kind === "argv" ? command.form.argv.slice(0, WORDS_SHOWN_MAX).join(" ") : command.form.text;
  return shownText(prepared?.display.command ?? shown);
}

const WORDS_SHOWN_MAX = 64;

function approvalIn({ approval }: RunParams): ApprovalId | null {
  return approval.kind === "id" && isApprovalId(approval.id) ? approval.id : null;
}
