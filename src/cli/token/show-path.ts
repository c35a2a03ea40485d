import { CallError } from "../../client/call-error.ts";
import { findDaemon } from "../../client/credential.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { placeOf } from "../session.ts";

/** Which file a command run now would take its token from. The token itself is never printed. */
export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const role = call.text("role") === "operator" ? "operator" : "gateway";
  const { credential, looked, socketPath } = findDaemon(placeOf(call), role, call.text("token-file"), io.env);
  if (credential === null) {
    throw new CallError("client.no-credential", `there is no ${role} token at ${looked.join(" or ")}; make one: countersign init`, {
      looked,
    });
  }
  io.out(call.has("json") ? JSON.stringify({ role, path: credential.source, socket: socketPath }) : credential.source);
  return EXIT.ok;
}
