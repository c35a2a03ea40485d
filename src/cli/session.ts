/** Finds the daemon a command means, and the credential to show it, by the shared flags and the environment. */
import { existsSync } from "node:fs";
import { CallError, isCallError } from "../client/call-error.ts";
import { type Client, type ConnectOptions, connect } from "../client/client.ts";
import { findDaemon } from "../client/credential.ts";
import { locate, type Place } from "../client/locate.ts";
import type { Role } from "../client/proof.ts";
import type { JsonObject } from "../core/json.ts";
import type { CommandCall } from "./command.ts";

export function placeOf(call: CommandCall): Place {
  return locate({ stateDir: call.text("state-dir"), socket: call.text("socket") }, call.io.env);
}

export function connectOptions(call: CommandCall, role: Role): ConnectOptions {
  const place = placeOf(call);
  const { socketPath, credential, looked } = findDaemon(place, role, call.text("token-file"), call.io.env);
  const { signal } = call.io;
  // Operators' tokens are files of their own. By its path it is read again for each connection, so that watching survives a rotation.
  if (credential !== null && role === "operator") return { socketPath, role, tokenFile: credential.source, signal };
  if (credential !== null) return { socketPath, role, token: credential.token, signal };
  if (!existsSync(socketPath)) {
    throw new CallError("client.unreachable", `there is no daemon at \`${socketPath}\`; start one: countersign daemon`, {
      socket: socketPath,
    });
  }
  throw new CallError(
    "client.no-credential",
    `no ${role} token for \`${socketPath}\`, looked at ${looked.map((path) => `\`${path}\``).join(" and ")}; give one with --token-file`,
    { looked, role },
  );
}

/** For everything that is one question: connects, asks, and closes whatever happens. */
export async function withClient<Answer>(call: CommandCall, role: Role, ask: (client: Client) => Promise<Answer>): Promise<Answer> {
  const client = await connect(connectOptions(call, role));
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

/** Both roles may ask; an operator is told more, and a gateway's user need not have the operator's token. */
export async function withEitherRole(call: CommandCall, ask: (client: Client) => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await withClient(call, "operator", ask);
  } catch (error) {
    if (!isCallError(error) || !["client.no-credential", "client.untrusted-server"].includes(error.code)) throw error;
    return withClient(call, "gateway", ask);
  }
}
