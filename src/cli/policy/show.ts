/** `countersign policy show`: the tools that a settings file leaves an agent, and which layer decided on each. Asks no daemon. */
import { CallError } from "../../client/call-error.ts";
import { parseSettings } from "../../config/settings.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { toolTable } from "../tools/render-layers.ts";
import { situationOf } from "../tools/situation.ts";
import { settingsText } from "./settings-text.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const { source, text } = await settingsText(call, call.text("config"));
  const settings = parseSettings(text ?? "{}", source);
  if (!settings.ok) throw new CallError("config.invalid", settings.failure.message, settings.failure.details);
  const situation = situationOf(call);
  const rows = settings.value.tools.list(situation).map(({ tool, allowed, decidedBy }) => ({ tool, allowed, ...decidedBy }));
  const sandboxed = settings.value.tools.isSandboxed(situation);
  const [allowed, denied] = [rows.filter((row) => row.allowed), rows.filter((row) => !row.allowed)];
  if (call.has("json")) {
    io.out(JSON.stringify({ source, agentId: situation.agentId, sandboxed, tools: allowed.map(({ tool }) => tool), rows }));
    return EXIT.ok;
  }
  const paint = painter(io.colour);
  io.out(
    `agent ${paint.bold(situation.agentId)}, ${sandboxed ? "sandboxed" : "not sandboxed"}: ${allowed.length} of ${rows.length} known tools`,
  );
  for (const [title, tools] of [
    [paint.green("allowed"), allowed],
    [paint.red("denied"), denied],
  ] as const) {
    if (tools.length > 0) for (const line of ["", title, ...toolTable(tools, paint)]) io.out(line);
  }
  return EXIT.ok;
}
