/** `countersign policy check [FILE]`: what the daemon would say about a settings file, before it has to. */

import { count, list, object, text } from "../../client/shape.ts";
import { parseSettings } from "../../config/settings.ts";
import { visibleText } from "../../wire/visible.ts";
import type { CommandCall } from "../command.ts";
import { counted } from "../counted.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { tell } from "../tell.ts";
import { settingsText } from "./settings-text.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const { source, text: written } = await settingsText(call, call.operands[0]);
  const settings = parseSettings(written ?? "{}", source);
  const found: unknown = settings.ok ? [] : settings.failure.details["problems"];
  const problems = isProblems(found) ? found : [];
  const warnings = settings.ok ? settings.value.warnings : [];
  if (call.has("json")) io.out(JSON.stringify({ source, ok: settings.ok, problems, warnings }));
  else {
    const paint = painter(io.colour);
    for (const { line, column, path, message } of problems) {
      const what = path === "" ? "the file" : visibleText(path);
      tell(io, `${visibleText(source)}:${line}:${column}: ${paint.red(what)} ${visibleText(message)}`, "    ");
    }
    for (const warning of warnings) tell(io, `${visibleText(source)}: ${paint.yellow("warning:")} ${visibleText(warning)}`, "    ");
    tell(io, summary(source, written === null, problems.length, warnings.length));
  }
  if (!settings.ok) return EXIT.configuration;
  return call.has("strict") && warnings.length > 0 ? EXIT.general : EXIT.ok;
}

const isProblems = list(object({ path: text, line: count, column: count, message: text }));

function summary(source: string, isMissing: boolean, mistakes: number, warnings: number): string {
  if (isMissing) return `there is no ${visibleText(source)}; the defaults hold`;
  if (mistakes > 0) return `${counted(mistakes, "mistake")}; the daemon would not load this file`;
  return warnings === 0 ? "no mistakes" : `no mistakes, ${counted(warnings, "warning")}`;
}
