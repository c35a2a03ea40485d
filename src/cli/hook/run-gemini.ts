import type { CommandCall } from "../command.ts";
import { gemini } from "./gemini.ts";
import { answerHook } from "./hook.ts";

export async function run(call: CommandCall): Promise<number> {
  return answerHook(call, gemini, "gemini");
}
