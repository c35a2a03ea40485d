/** `countersign trust list`: the gateways whose own tokens count, for whose commands, and since when. */
import { shownText } from "../../wire/shown-text.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { momentText } from "../moments.ts";
import { painter } from "../paint.ts";
import { withClient } from "../session.ts";
import { tableLines } from "../table.ts";
import { tell } from "../tell.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const answer = await withClient(call, "operator", (client) => client.call("trust.list"));
  if (call.has("json")) {
    io.out(JSON.stringify(answer));
    return EXIT.ok;
  }
  const { issuers } = answer;
  if (issuers.length === 0) {
    tell(io, "no gateway may approve anything on its own; to let one: countersign trust add NAME --key FILE");
    return EXIT.ok;
  }
  const rows = issuers.map(({ iss, agents, addedAtMs }) => [
    shownText(iss),
    typeof addedAtMs === "number" ? momentText(addedAtMs) : "",
    shownText(agents?.join(", ") ?? "every agent"),
  ]);
  for (const line of tableLines(["NAME", "SINCE", "FOR AGENTS"], rows, painter(io.colour), io.columns())) io.out(line);
  return EXIT.ok;
}
