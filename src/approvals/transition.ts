import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Approval } from "./approval.ts";
import type { Decision } from "./events.ts";

export type Allowed = Extract<Approval, { readonly state: "allowed" }>;

/** `decide` when the answer is new, `same` when it was given before: the first answer wins, and the same again succeeds. */
export function resolution(approval: Approval, decision: Decision, nowMs: number): Result<"decide" | "same", Denial> {
  switch (approval.state) {
    case "pending":
      return nowMs < approval.expiresAtMs ? ok("decide") : fail(expiredDenial(approval.id, "approval.expired"));
    case "allowed":
    case "consumed":
    case "denied":
      return approval.decision === decision ? ok("same") : fail(alreadyResolved(approval));
    case "expired":
      return fail(expiredDenial(approval.id, approval.code));
    case "cancelled":
      return fail(cancelledDenial(approval));
  }
}

/** The one place that says whether an approval may start a run now. The caller must make the consumption durable before it acts. */
export function spendable(approval: Approval, nowMs: number): Result<Allowed, Denial> {
  switch (approval.state) {
    case "allowed":
      return nowMs <= approval.usableUntilMs ? ok(approval) : fail(expiredDenial(approval.id, "approval.expired"));
    case "pending":
      return fail(
        denial("approval.required", `approval \`${approval.id}\` is not decided yet; wait for it`, { id: approval.id, state: "pending" }),
      );
    case "consumed":
      return fail(consumedDenial(approval));
    case "denied":
      return fail(deniedDenial(approval));
    case "expired":
      return fail(expiredDenial(approval.id, approval.code));
    case "cancelled":
      return fail(cancelledDenial(approval));
  }
}

export function cancellable(approval: Approval): Result<"cancel" | "same", Denial> {
  switch (approval.state) {
    case "pending":
      return ok("cancel");
    case "cancelled":
      return ok("same");
    case "allowed":
    case "consumed":
    case "denied":
      return fail(alreadyResolved(approval));
    case "expired":
      return fail(expiredDenial(approval.id, approval.code));
  }
}

function alreadyResolved(approval: Extract<Approval, { readonly decision: Decision }>): Denial {
  const { id, decision, by, decidedAtMs } = approval;
  return denial("approval.already-resolved", `approval \`${id}\` was answered \`${decision}\` by ${by}; the first answer stands`, {
    id,
    decision,
    by,
    decidedAtMs,
  });
}

function consumedDenial(approval: Extract<Approval, { readonly state: "consumed" }>): Denial {
  const { id, runId, consumedAtMs, by, decidedAtMs } = approval;
  const when = new Date(consumedAtMs).toISOString();
  return denial("approval.consumed", `approval \`${id}\` was used by run \`${runId}\` at ${when}; ask for a new approval`, {
    id,
    runId,
    consumedAtMs,
    by,
    decidedAtMs,
  });
}

function deniedDenial(approval: Extract<Approval, { readonly state: "denied" }>): Denial {
  const { id, by, reason, decidedAtMs } = approval;
  const because = reason === null ? "" : `: ${reason}`;
  return denial("approval.denied", `${by} denied approval \`${id}\`${because}`, { id, by, reason, decidedAtMs });
}

function cancelledDenial(approval: Extract<Approval, { readonly state: "cancelled" }>): Denial {
  return denial("approval.cancelled", `approval \`${approval.id}\` was cancelled by ${approval.by}; ask again if it is still wanted`, {
    id: approval.id,
    by: approval.by,
    cancelledAtMs: approval.cancelledAtMs,
  });
}

export function expiredDenial(id: string, code: "approval.expired" | "approval.no-route"): Denial {
  return code === "approval.expired"
    ? denial(code, `approval \`${id}\` was not used in time; ask again`, { id })
    : denial(code, `nobody is there to answer approval \`${id}\`; attach an operator with \`countersign watch\` and ask again`, { id });
}
