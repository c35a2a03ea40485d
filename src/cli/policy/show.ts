/** `countersign policy show`: the tools that a settings file leaves an agent, and which layer decided on each. Asks no daemon. */

import { parseSettings } from "../../config/settings.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { must } from "../must.ts";
import { painter } from "../paint.ts";
import { tell } from "../tell.ts";
import { toolTable } from "../tools/render-layers.ts";
import { situationOf } from "../tools/situation.ts";
import { settingsText } from "./settings-text.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const { source, text } = await settingsText(call, fileOf(call));
  const { tools: policy } = must(parseSettings(text ?? "{}", source));
  const situation = situationOf(call);
  const rows = policy.list(situation).map(({ tool, allowed, decidedBy }) => ({ tool, allowed, ...decidedBy }));
  const sandboxed = policy.isSandboxed(situation);
  const [allowed, denied] = [rows.filter((row) => row.allowed), rows.filter((row) => !row.allowed)];
  if (call.has("json")) {
    io.out(JSON.stringify({ source, agentId: situation.agentId, sandboxed, tools: allowed.map(({ tool }) => tool), rows }));
    return EXIT.ok;
  }
  const paint = painter(io.colour);
  tell(
    io,
    `agent ${paint.bold(situation.agentId)}, ${sandboxed ? "sandboxed" : "not sandboxed"}: ${allowed.length} of ${rows.length} known tools`,
  );
  for (const [title, tools] of [
    [paint.green("allowed"), allowed],
    [paint.red("denied"), denied],
  ] as const) {
    if (tools.length > 0) for (const line of ["", title, ...toolTable(tools, paint, io.columns())]) io.out(line);
  }
  return EXIT.ok;
}

function fileOf(call: CommandCall): string | undefined {
  const [file] = call.operands;
  if (file !== undefined && call.has("config")) throw new UsageError("name the file once, as FILE or with --config");
  return file ?? call.text("config");
}
