/** `countersign tools list`: the tools an agent may call, as the daemon would tell its gateway. */

import { CallError } from "../../client/call-error.ts";
import { list, object, text } from "../../client/shape.ts";
import { visibleText } from "../../wire/visible.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { withEitherRole } from "../session.ts";
import { warn } from "../tell.ts";
import { toolTable } from "./render-layers.ts";
import { situationOf } from "./situation.ts";

const isListing = object({
  tools: list(text),
  denied: list(object({ tool: text, layer: text, source: text, verdict: text, rule: text })),
});

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const asked = { ...situationOf(call) };
  const listing = await withEitherRole(call, (client) => client.call("tools.list", asked));
  if (!isListing(listing)) throw new CallError("client.bad-answer", "the daemon's answer cannot be read; update the older of the two");
  const paint = painter(io.colour);
  if (call.has("json")) io.out(JSON.stringify(listing));
  else {
    for (const tool of listing.tools) io.out(visibleText(tool));
    // On standard error, since each line of the other is a tool.
    if (listing.tools.length === 0 && !call.has("denied")) warn(io, "it may call no tool; to see why: countersign tools list --denied");
    if (call.has("denied")) for (const line of ["", paint.bold("denied"), ...toolTable(listing.denied, paint, io.columns())]) io.out(line);
  }
  return EXIT.ok;
}
