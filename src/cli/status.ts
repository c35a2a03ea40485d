import { isCallError } from "../client/call-error.ts";
import type { Client } from "../client/client.ts";
import type { JsonObject } from "../core/json.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { painter } from "./paint.ts";
import { factLines } from "./render-facts.ts";
import { withClient } from "./session.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const status = await asWhomever(call, (client) => client.call("status"));
  if (call.has("json")) io.out(JSON.stringify(status));
  else for (const line of factLines(status, painter(io.colour), io.columns())) io.out(line);
  return EXIT.ok;
}

/** Both roles may ask; an operator is told more, and a gateway's user need not have the operator's token. */
async function asWhomever(call: CommandCall, ask: (client: Client) => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await withClient(call, "operator", ask);
  } catch (error) {
    if (!isCallError(error) || !["client.no-credential", "client.untrusted-server"].includes(error.code)) throw error;
    return withClient(call, "gateway", ask);
  }
}
