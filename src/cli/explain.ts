/** `countersign explain`: every part of a command, what it resolved to, which rule of which file answered, and what is not covered. */
import { askedCommand } from "./asked-command.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { judgementOf, toolVerdict } from "./judgement.ts";
import { painter } from "./paint.ts";
import { groundLines, partLines, refusalLines, type Sheet, verdictLines } from "./render-judgement.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const command = await askedCommand(call);
  const judgement = await judgementOf(call, command);
  const tool = await toolVerdict(call, command);
  if (call.has("json")) {
    io.out(JSON.stringify({ ...judgement.json, tool }));
    return EXIT.ok;
  }
  const sheet: Sheet = { paint: painter(io.colour), columns: io.columns(), command };
  const lines = [
    ...verdictLines(judgement, sheet),
    ...refusalLines(judgement, sheet),
    ...partLines(judgement, sheet, "all"),
    ...groundLines(judgement, tool, sheet),
  ];
  for (const line of lines) io.out(line);
  return EXIT.ok;
}
