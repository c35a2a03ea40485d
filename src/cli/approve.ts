import { shownWord } from "../wire/display.ts";
import { shownText } from "../wire/shown-text.ts";
import { type Answered, answer, reasonOf } from "./answer.ts";
import { type CommandCall, UsageError } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { durationMs, wholeNumber } from "./flag-values.ts";
import { painter } from "./paint.ts";
import { screenOf } from "./pending.ts";
import { approvalLines } from "./render-approval.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const always = call.has("always");
  const stray = ["scope", "for", "uses"].find((flag) => call.has(flag) && !always);
  if (stray !== undefined) throw new UsageError(`\`--${stray}\` bounds what is stored, so it needs --always`);
  const params = { decision: always ? "allow-always" : "allow-once", ...bounds(call), ...reasonOf(call) };
  const answered = await answer(call, params, (approval, client) => {
    if (!call.has("json")) for (const line of approvalLines(approval, screenOf(io, client))) io.out(line);
  });
  if (call.has("json")) io.out(JSON.stringify(answered.outcome));
  else for (const line of saidLines(answered, always)) io.out(painter(io.colour).green(line));
  return EXIT.ok;
}

function bounds(call: CommandCall) {
  const scope = call.text("scope");
  const expiresInMs = durationMs(call, "for");
  const uses = wholeNumber(call, "uses");
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    ...(uses === undefined ? {} : { uses }),
  };
}

function saidLines({ outcome }: Answered, always: boolean): readonly string[] {
  if (!always) return ["allowed once, exactly as shown"];
  const stored = outcome.stored ?? [];
  if (stored.length > 0) return [`allowed, and from now on without asking: ${stored.map(shownWord).join(", ")}`];
  return [`allowed once; nothing was stored: ${shownText(outcome.oneShot ?? "it had been answered before")}`];
}
