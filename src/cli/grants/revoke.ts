/** `countersign grants revoke`: from the next request on it is asked about again. */

import { CallError } from "../../client/call-error.ts";
import { APPROVAL_PREFIX_CHARS_MIN } from "../../core/limits.ts";
import { shownWord } from "../../wire/display.ts";
import { shownText } from "../../wire/shown-text.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withClient } from "../session.ts";
import { tell } from "../tell.ts";
import { allGrants, type Grant } from "./grant.ts";

export async function run(call: CommandCall): Promise<number> {
  const [named = ""] = call.operands;
  if (named === "") throw new UsageError("name the grant to revoke: its id or its pattern");
  return withClient(call, "operator", async (client) => {
    const grant = chosen(await allGrants(client, call.text("agent")), named);
    const answer = await client.call("exec.grants.revoke", { id: grant.id });
    if (call.has("json")) call.io.out(JSON.stringify(answer));
    else tell(call.io, `revoked ${shownWord(grant.pattern)} for ${whose(grant)}; it will be asked about again`);
    return EXIT.ok;
  });
}

/** By id, by the beginning of one, or by its whole pattern; never by a guess. */
export function chosen(grants: readonly Grant[], named: string): Grant {
  const fits = ({ id, pattern }: Grant): boolean =>
    id === named || pattern === named || (named.length >= APPROVAL_PREFIX_CHARS_MIN && id.startsWith(named));
  const found = grants.filter(fits);
  const [only] = found;
  if (only === undefined) {
    throw new CallError("approval.unknown", `no entry is called \`${shownText(named)}\`; see: \`countersign allowlist list\``);
  }
  if (found.length === 1) return only;
  const ids = found.map(({ id, agentId }) => `${id} (${agentId})`);
  throw new CallError("approval.ambiguous", `\`${shownText(named)}\` is ${found.length} entries; name one by its id, or say --agent`, {
    ids,
  });
}

function whose({ agentId }: Grant): string {
  return agentId === "*" ? "every agent" : `agent ${shownWord(agentId)}`;
}
