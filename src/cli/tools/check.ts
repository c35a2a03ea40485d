/** `countersign tools check TOOL`: may this agent call this tool, and with that; asked of the daemon, so the answer is the one it would give. */

import { resolve } from "node:path";
import { CallError } from "../../client/call-error.ts";
import { flag, list, maybe, object, text } from "../../client/shape.ts";
import type { JsonObject } from "../../core/json.ts";
import { visibleText } from "../../wire/visible.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { withEitherRole } from "../session.ts";
import { tell } from "../tell.ts";
import { layerTable } from "./render-layers.ts";
import { situationOf } from "./situation.ts";

const isVerdict = object({
  allowed: flag,
  code: maybe(text),
  reason: text,
  layers: list(object({ layer: text, source: text, verdict: text, rule: text })),
});

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const [tool = ""] = call.operands;
  const args = argsOf(call);
  const asked = { tool, ...situationOf(call), ...(args === null ? {} : { args }) };
  const verdict = await withEitherRole(call, (client) => client.call("tools.evaluate", asked));
  if (!isVerdict(verdict)) throw new CallError("client.bad-answer", "the daemon's answer cannot be read; update the older of the two");
  const paint = painter(io.colour);
  if (call.has("json")) io.out(JSON.stringify(verdict));
  else {
    tell(io, `${verdict.allowed ? paint.green("allowed") : paint.red("denied")}  ${visibleText(verdict.reason)}`);
    for (const line of layerTable(verdict.layers, paint, io.columns())) io.out(line);
  }
  return verdict.allowed ? EXIT.ok : EXIT.denied;
}

function argsOf(call: CommandCall): JsonObject | null {
  const [path, url, command] = ["path", "url", "command"].map((name) => call.text(name));
  const given = [path, url, command].filter((value) => value !== undefined);
  if (given.length > 1) throw new UsageError("a tool is called with one of --path, --url and --command");
  if (path !== undefined) return { path, cwd: resolve(call.io.cwd) };
  if (url !== undefined) return { url };
  return command === undefined ? null : { command };
}
