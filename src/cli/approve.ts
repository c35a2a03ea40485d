import { shownWord } from "../wire/display.ts";
import { visibleText } from "../wire/visible.ts";
import { type Answered, answer, reasonOf } from "./answer.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { durationMs, wholeNumber } from "./flag-values.ts";
import { painter } from "./paint.ts";
import { screenOf } from "./pending.ts";
import { approvalLines } from "./render-approval.ts";
import { tell } from "./tell.ts";
import { boundsText } from "./watch/bounds.ts";
import type { Bounds } from "./watch/state.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  // Each of them bounds what is stored, so whoever says one means that something is.
  const stores = ["always", "scope", "for", "uses"].some((flag) => call.has(flag));
  const { scope, ...bounds } = boundsOf(call);
  const params = {
    decision: stores ? "allow-always" : "allow-once",
    ...(scope === undefined ? {} : { scope }),
    ...bounds,
    ...reasonOf(call),
  };
  const answered = await answer(call, params, (approval, client) => {
    if (!call.has("json")) for (const line of approvalLines(approval, screenOf(io, client))) io.out(line);
  });
  if (call.has("json")) io.out(JSON.stringify(answered.outcome));
  else tell(io, painter(io.colour).green(stores ? storedText(answered, bounds) : "allowed once, exactly as shown"));
  return EXIT.ok;
}

function boundsOf(call: CommandCall): Bounds & { readonly scope?: string } {
  const scope = call.text("scope");
  const expiresInMs = durationMs(call, "for");
  const uses = wholeNumber(call, "uses");
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    ...(uses === undefined ? {} : { uses }),
  };
}

function storedText({ outcome }: Answered, bounds: Bounds): string {
  const stored = outcome.stored ?? [];
  const held = Object.keys(bounds).length === 0 ? "from now on" : boundsText(bounds);
  if (stored.length > 0) return `allowed, and ${held} without asking: ${stored.map(shownWord).join(", ")}`;
  return `allowed once; nothing was stored: ${visibleText(outcome.oneShot ?? "it had been answered before")}`;
}
