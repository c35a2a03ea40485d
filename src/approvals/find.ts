import { type Denial, denial } from "../core/denial.ts";
import { isApprovalId } from "../core/ids.ts";
import { APPROVAL_PREFIX_CHARS_MIN } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Approval } from "./approval.ts";
import type { Ledger } from "./ledger.ts";

/** By all 36 characters, in any state; or by a prefix that is unique among the pending. Nothing is trimmed or case-folded. */
export function findApproval(ledger: Ledger, text: string): Result<Approval, Denial> {
  if (isApprovalId(text)) {
    const approval = ledger.approvals.get(text);
    return approval === undefined ? fail(unknownApproval(text)) : ok(approval);
  }
  if (!/^[0-9a-f-]+$/.test(text) || text.length < APPROVAL_PREFIX_CHARS_MIN || text.length > 35) {
    return fail(
      denial(
        "approval.unknown",
        `\`${text.slice(0, 40)}\` is not an approval id; give all 36 characters or at least ${APPROVAL_PREFIX_CHARS_MIN} of them`,
        {
          field: "id",
        },
      ),
    );
  }
  const matches = ledger.approvals.pending().filter(({ id }) => id.startsWith(text));
  const [first, second] = matches;
  if (first === undefined) {
    const message = `nothing that waits begins with \`${text}\`; list it with \`countersign pending\`, or give all 36 characters`;
    return fail(denial("approval.unknown", message, { field: "id", id: text }));
  }
  if (second === undefined) return ok(first);
  return fail(
    denial("approval.ambiguous", `\`${text}\` begins ${matches.length} pending approvals; give more characters`, {
      field: "id",
      ids: matches.map(({ id }) => id),
    }),
  );
}

export function unknownApproval(text: string): Denial {
  return denial("approval.unknown", `there is no approval \`${text}\`; list them with \`countersign pending\``, { field: "id", id: text });
}
