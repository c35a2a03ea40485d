import { readFile } from "node:fs/promises";
import { CallError } from "../../client/call-error.ts";
import { errnoOf } from "../../store/io-denial.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withClient } from "../session.ts";
import { tell } from "../tell.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const [iss = ""] = call.operands;
  const file = call.text("key");
  if (file === undefined) throw new UsageError("`trust add` needs --key FILE: the gateway's public Ed25519 key, PEM or JWK");
  const publicKey = await readFile(file === "-" ? "/dev/stdin" : file, "utf8").catch((error: unknown) => {
    throw new CallError("state.io", `\`${file}\` cannot be read (${errnoOf(error)}); give the file of a public key`, { path: file });
  });
  if (publicKey.includes("PRIVATE")) throw new UsageError(`\`${file}\` is a private key; the gateway keeps that, give its public one`);
  const agents = call.text("agents")?.split(",");
  const params = { iss, publicKey: publicKey.trim(), ...(agents === undefined ? {} : { agents }) };
  const answer = await withClient(call, "operator", (client) => client.call("trust.add", params));
  if (call.has("json")) io.out(JSON.stringify(answer));
  else
    tell(
      io,
      `\`${iss}\` may approve commands of ${agents === undefined ? "every agent" : agents.join(", ")}, each once, with tokens of its own`,
    );
  return EXIT.ok;
}
