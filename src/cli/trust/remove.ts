import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withClient } from "../session.ts";
import { tell } from "../tell.ts";

export async function run(call: CommandCall): Promise<number> {
  const [iss = ""] = call.operands;
  const answer = await withClient(call, "operator", (client) => client.call("trust.remove", { iss }));
  if (call.has("json")) call.io.out(JSON.stringify(answer));
  else tell(call.io, `\`${iss}\` is not trusted any more; tokens it has made are refused from now on`);
  return EXIT.ok;
}
