/** What `approve` and `deny` share: find the approval, show what it is about, then answer about exactly that one. */
import type { Approval, Client } from "../client/client.ts";
import type { Results } from "../client/results.ts";
import type { JsonObject } from "../core/json.ts";
import type { CommandCall } from "./command.ts";
import { withClient } from "./session.ts";

export interface Answered {
  readonly approval: Approval;
  readonly outcome: Results["exec.approval.resolve"];
}

/** Looked up once, by whatever was typed, and answered by its full id: what was shown is what is decided. */
export async function answer(call: CommandCall, params: JsonObject, show: (approval: Approval, client: Client) => void): Promise<Answered> {
  const [given = ""] = call.operands;
  return withClient(call, "operator", async (client: Client) => {
    const approval = await client.call("exec.approval.get", { id: given });
    show(approval, client);
    const outcome = await client.call("exec.approval.resolve", { id: approval.id, ...params });
    return { approval, outcome };
  });
}

export function reasonOf(call: CommandCall): JsonObject {
  const reason = call.text("reason");
  return reason === undefined ? {} : { reason };
}
