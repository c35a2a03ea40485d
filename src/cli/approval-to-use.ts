import { CallError } from "../client/call-error.ts";
import { APPROVAL_PREFIX_CHARS_MIN } from "../core/limits.ts";
import type { CommandCall } from "./command.ts";
import { withClient } from "./session.ts";

const ID_CHARS = 36;

/** The daemon wants all of an id to use it; a person who types its beginning means the one of their own that is allowed and begins so. */
export async function approvalToUse(call: CommandCall, id: string): Promise<string> {
  if (id.length >= ID_CHARS || id.length < APPROVAL_PREFIX_CHARS_MIN) return id;
  const { approvals } = await withClient(call, "gateway", (client) => client.call("exec.approval.list", { state: "allowed" }));
  const ids = approvals.map((approval) => approval.id).filter((candidate) => candidate.startsWith(id));
  if (ids.length > 1) throw new CallError("approval.ambiguous", `\`${id}\` begins ${ids.length} approvals; give more characters`, { ids });
  return ids[0] ?? id;
}
