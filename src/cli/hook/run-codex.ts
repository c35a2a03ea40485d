import type { CommandCall } from "../command.ts";
import { codex } from "./codex.ts";
import { answerHook } from "./hook.ts";

export async function run(call: CommandCall): Promise<number> {
  return answerHook(call, codex, "codex");
}
