import { shownText } from "../../wire/shown-text.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { momentText } from "../moments.ts";
import { painter } from "../paint.ts";
import { withClient } from "../session.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const answer = await withClient(call, "operator", (client) => client.call("trust.list"));
  if (call.has("json")) {
    io.out(JSON.stringify(answer));
    return EXIT.ok;
  }
  const { issuers } = answer;
  if (issuers.length === 0) io.out("no gateway may approve anything on its own");
  const paint = painter(io.colour);
  for (const { iss, agents, addedAtMs } of issuers) {
    const since = typeof addedAtMs === "number" ? `  since ${momentText(addedAtMs)}` : "";
    io.out(`${paint.bold(shownText(iss))}  for ${shownText(agents?.join(", ") ?? "every agent")}${paint.dim(since)}`);
  }
  return EXIT.ok;
}
