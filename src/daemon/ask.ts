import type { Approval } from "../approvals/approval.ts";
import type { GrantOffer } from "../approvals/record.ts";
import type { CancelSignal } from "../core/cancellation.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { derivePatterns } from "../policy/allow-always.ts";
import type { Claim } from "../wire/params/command.ts";
import type { Asker } from "./asker.ts";
import type { Prepared } from "./prepare.ts";
import { displayJson, planJson } from "./prepared-json.ts";
import type { World } from "./world.ts";

export interface AskOptions {
  readonly requestKey: string | null;
  readonly approvalTimeoutMs: number | null;
  readonly context: Claim;
  readonly env: ReadonlyMap<string, string>;
  readonly host: string | null;
  readonly turnSourceChannel: string | null;
  /** The answer comes with the question, so no surface needs to be attached. */
  readonly answered?: true;
}

/** Puts a prepared command before a person. Its record is on disk before anybody hears of it. */
export async function ask(
  prepared: Prepared,
  asker: Asker,
  options: AskOptions,
  world: World,
): Promise<Result<{ readonly approval: Approval; readonly fresh: boolean }, Denial>> {
  const { agentId, binding, display, evidence, parts, timeoutMs } = prepared;
  return world.desk.request({
    credential: asker.credential,
    agentId,
    sessionKey: prepared.asked.sessionKey,
    requestKey: options.requestKey,
    binding,
    command: display.command,
    timeoutMs: options.approvalTimeoutMs ?? world.approvalTimeoutMs(),
    // Decided when the request is made and never later: someone who leaves again does not turn a question into a refusal.
    hasRoute: options.answered === true || world.allowUnattended || world.hub.hasOperatorSurface(),
    keep: (id) =>
      world.keepRecord({
        id,
        agentId,
        parts,
        cwd: { device: evidence.cwd.device, inode: evidence.cwd.inode },
        plan: planJson(prepared),
        display: { ...displayJson(prepared), env: Object.fromEntries(options.env) },
        requester: requesterJson(asker, options),
        context: { ...options.context },
        timeoutMs,
        allowedDecisions: allowedDecisions(prepared),
        grants: { executable: offer(prepared, "executable"), command: offer(prepared, "command") },
      }),
  });
}

/** Derived now and not when the answer comes: a file swapped in between must not become the thing that was allowed for good. */
function offer({ plan, decideInput }: Prepared, scope: "executable" | "command"): GrantOffer {
  const { entries, none } = derivePatterns(plan, decideInput.machine, { scope, hashOf: (path) => decideInput.hashOf(path) });
  return { entries, none };
}

/** What loads more than can be bound holds once. A login shell's start-up files are no part of what an allow-always would keep. */
export function allowedDecisions({ plan }: Prepared): readonly string[] {
  const holdsOnce = plan.unbound.some((each) => !plan.startup.includes(each));
  return holdsOnce ? ["allow-once", "deny"] : ["allow-once", "allow-always", "deny"];
}

/** What `approval.required` carries, so that a client can ask without preparing again. */
export function approvalRequired(prepared: Prepared): Denial {
  const { judgement } = prepared;
  return denial("approval.required", `${judgement.reason}; ask for an approval of this command`, {
    plan: planJson(prepared),
    binding: prepared.binding,
    display: displayJson(prepared),
    source: judgement.source,
  });
}

function requesterJson(asker: Asker, options: AskOptions): JsonObject {
  return {
    credential: asker.credential,
    role: asker.role,
    pid: asker.peer.pid,
    uid: asker.peer.uid,
    exe: asker.peer.exe,
    host: options.host,
    channel: options.turnSourceChannel,
  };
}

/** Waits for the answer, and gives the approval as it is when the requester left first. A daemon that stops keeps nobody waiting. */
export async function answerTo(approval: Approval, signal: CancelSignal, world: World): Promise<Result<Approval, Denial>> {
  if (approval.state !== "pending") return ok(approval);
  const settled = await world.desk.settled(approval.id, signal);
  if (settled?.state === "pending" && world.stopping.aborted) return fail(stoppingDenial({ id: approval.id }));
  return ok(settled ?? approval);
}

export function stoppingDenial(details: JsonObject = {}): Denial {
  return denial("shutting-down", "the daemon is stopping; try again when it is back", details);
}
