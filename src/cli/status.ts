import { isCallError } from "../client/call-error.ts";
import type { Client } from "../client/client.ts";
import type { JsonObject } from "../core/json.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { painter } from "./paint.ts";
import { factLines } from "./render-facts.ts";
import { isStatus, statusLines } from "./render-status.ts";
import { withClient } from "./session.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const status = await asWhomever(call, (client) => client.call("status"));
  if (call.has("json")) {
    io.out(JSON.stringify(status));
    return EXIT.ok;
  }
  const paint = painter(io.colour);
  // A daemon of another version may say other things; they are shown as they come.
  const lines = isStatus(status) ? statusLines(status, paint, io.columns()) : factLines(status, paint, io.columns());
  for (const line of lines) io.out(line);
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
