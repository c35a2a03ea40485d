import { join } from "node:path";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { placeOf, withClient } from "../session.ts";
import { tell } from "../tell.ts";
import { writeCredential } from "./credential-file.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const gateway = call.text("gateway");
  const role = call.text("role") ?? "gateway";
  const out = call.text("out");
  if (gateway !== undefined && role !== "gateway") throw new UsageError("`--gateway` names a gateway, so it goes with --role gateway");
  if (gateway !== undefined && out === undefined) {
    throw new UsageError(`only a hash of this token is kept, so say where the new one goes: --out FILE`);
  }
  const params = { role, ...(gateway === undefined ? {} : { gateway }), ...(call.has("drain") ? { drain: true } : {}) };
  const { token } = await withClient(call, "operator", (client) => client.call("token.rotate", params));
  if (out !== undefined) await writeCredential(out, token);
  const kept = role === "operator" ? "operator.token" : "exec-approvals.json";
  const path = gateway === undefined ? join(placeOf(call).stateDir, kept) : (out ?? "");
  if (call.has("json")) io.out(JSON.stringify({ role, gateway: gateway ?? null, path }));
  else {
    tell(io, `the ${gateway === undefined ? role : `gateway \`${gateway}\``} has a new token; it is in ${path}`);
    tell(io, call.has("drain") ? "connections with the old one end when their runs have" : "connections with the old one are closed");
    if (gateway === undefined) {
      tell(io, `whoever was issued the old one needs a new file: countersign token issue --role ${role} --for-uid UID`);
    }
  }
  return EXIT.ok;
}
