import { fail, type Result } from "../core/result.ts";
import type { Refusal } from "./command-plan.ts";
import { refusal } from "./refusal.ts";
import { secondOpinionAgrees } from "./second-opinion.ts";
import { type SimpleCommand, tokenize } from "./tokenize.ts";

/** Two readers have to agree before a text counts as understood; text for a Windows shell has no reader here and never does. */
export function readShellText(text: string, platform: "posix" | "win32" = "posix"): Result<readonly SimpleCommand[], Refusal> {
  if (platform === "win32") return fail(refusal("windows-metachar", text, 0));
  const commands = tokenize(text);
  if (commands.ok && !secondOpinionAgrees(text, commands.value)) return fail(refusal("second-opinion", text, 0));
  return commands;
}
