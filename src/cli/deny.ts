import { shownText } from "../wire/shown-text.ts";
import { answer, reasonOf } from "./answer.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { tell } from "./tell.ts";

export async function run(call: CommandCall): Promise<number> {
  const { approval, outcome } = await answer(call, { decision: "deny", ...reasonOf(call) }, () => {});
  if (call.has("json")) call.io.out(JSON.stringify(outcome));
  else tell(call.io, `denied: ${approval.display?.command ?? shownText(approval.command ?? approval.id)}`);
  return EXIT.ok;
}
