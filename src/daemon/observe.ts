/** What connections do that somebody should know: strangers at the door go into the journal, mistakes of ours into the log. */
import type { AppendableEvent } from "../approvals/events.ts";
import { DOOR_EVENTS_RECORDED_PER_MINUTE_MAX } from "../core/limits.ts";
import type { Clock } from "./clock.ts";
import type { ConnectionEvent } from "./connection-host.ts";
import type { Log } from "./log.ts";

export function createObserver(clock: Clock, note: (event: AppendableEvent) => void, log: Log): (event: ConnectionEvent) => void {
  let minute = 0;
  let recorded = 0;
  return (event) => {
    if (event.kind === "threw") {
      const { error, method, connectionId } = event;
      log.error("a call failed for a reason of our own", {
        method,
        connectionId,
        stack: error instanceof Error ? (error.stack ?? "") : String(error),
      });
      return;
    }
    const { denial, peer } = event;
    if (denial.code !== "auth.failed" && denial.code !== "auth.forbidden" && denial.code !== "auth.peer-refused") return;
    const now = Math.floor(clock.nowMs() / 60_000);
    recorded = now === minute ? recorded + 1 : 1;
    minute = now;
    if (recorded > DOOR_EVENTS_RECORDED_PER_MINUTE_MAX) return;
    note({ type: "security.event", details: { kind: denial.code, reason: denial.message, pid: peer.pid, uid: peer.uid, exe: peer.exe } });
  };
}
