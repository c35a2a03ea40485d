/** `countersign completion bash|zsh|fish`: prints the script; where it goes is the person's business. */
import { type CommandCall, UsageError } from "../command.ts";
import { COMMANDS } from "../commands.ts";
import { EXIT } from "../exit-code.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { vocabularyOf } from "./vocabulary.ts";
import { zshScript } from "./zsh.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export async function run(call: CommandCall): Promise<number> {
  const [shell = ""] = call.operands;
  if (!isShell(shell)) throw new UsageError(`there is completion for ${Object.keys(SCRIPTS).join(", ")}, not for \`${shell}\``);
  const script = SCRIPTS[shell](vocabularyOf(COMMANDS));
  call.io.stdout.write(call.has("json") ? `${JSON.stringify({ shell, script })}\n` : script);
  return EXIT.ok;
}

function isShell(word: string): word is keyof typeof SCRIPTS {
  return Object.hasOwn(SCRIPTS, word);
}
