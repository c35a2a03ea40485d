import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withClient } from "../session.ts";

export async function run(call: CommandCall): Promise<number> {
  const [iss = ""] = call.operands;
  const answer = await withClient(call, "operator", (client) => client.call("trust.remove", { iss }));
  call.io.out(call.has("json") ? JSON.stringify(answer) : `\`${iss}\` is not trusted any more; tokens it has made are refused from now on`);
  return EXIT.ok;
}
