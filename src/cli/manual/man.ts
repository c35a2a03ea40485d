/** `countersign man`: a manual page as source, for man(1), mandoc(1) or a package. */
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { commandsPage, daemonPage } from "./manual.ts";

export async function run(call: CommandCall): Promise<number> {
  const [number = "1"] = call.operands;
  if (number !== "1" && number !== "8") throw new UsageError(`there are countersign(1) and countersign(8), not \`${number}\``);
  const page = number === "1" ? commandsPage() : daemonPage();
  call.io.stdout.write(call.has("json") ? `${JSON.stringify({ section: Number(number), page })}\n` : page);
  return EXIT.ok;
}
