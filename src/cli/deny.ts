import { shownText } from "../wire/shown-text.ts";
import { answer, reasonOf } from "./answer.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";

export async function run(call: CommandCall): Promise<number> {
  const { approval, outcome } = await answer(call, { decision: "deny", ...reasonOf(call) }, () => {});
  call.io.out(
    call.has("json") ? JSON.stringify(outcome) : `denied: ${approval.display?.command ?? shownText(approval.command ?? approval.id)}`,
  );
  return EXIT.ok;
}
