import type { CommandCall } from "../command.ts";
import { claudeCode } from "./claude-code.ts";
import { answerHook } from "./hook.ts";

export async function run(call: CommandCall): Promise<number> {
  return answerHook(call, claudeCode, "claude-code");
}
