/** `countersign check`: the decision and why, and nothing runs. */
import { askedCommand } from "./asked-command.ts";
import type { CommandCall } from "./command.ts";
import { EXIT, exitCodeOfCode } from "./exit-code.ts";
import { judgementOf } from "./judgement.ts";
import { painter } from "./paint.ts";
import { partLines, refusalLines, type Sheet, verdictLines } from "./render-judgement.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const command = await askedCommand(call);
  const judgement = await judgementOf(call, command);
  const { decision } = judgement;
  if (call.has("json")) {
    io.out(JSON.stringify(decision));
  } else {
    const sheet: Sheet = { paint: painter(io.colour), columns: io.columns(), command };
    const lines = [...verdictLines(judgement, sheet), ...refusalLines(judgement, sheet), ...partLines(judgement, sheet, "uncovered")];
    for (const line of lines) io.out(line);
  }
  return decision.outcome === "allow" ? EXIT.ok : exitCodeOfCode(decision.code ?? "approval.required");
}
