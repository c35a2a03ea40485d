/** Finds the daemon a command means, and the credential to show it, by the shared flags and the environment. */
import { isCallError } from "../client/call-error.ts";
import { type Client, type ConnectOptions, connect } from "../client/client.ts";
import { daemonHere } from "../client/here.ts";
import { locate, type Place } from "../client/locate.ts";
import type { Role } from "../client/proof.ts";
import type { JsonObject } from "../core/json.ts";
import type { CommandCall } from "./command.ts";

export function placeOf(call: CommandCall): Place {
  return locate({ stateDir: call.text("state-dir"), socket: call.text("socket") }, call.io.env);
}

export function connectOptions(call: CommandCall, role: Role): ConnectOptions {
  const { env, signal } = call.io;
  const where = { stateDir: call.text("state-dir"), socket: call.text("socket"), tokenFile: call.text("token-file"), env };
  return { ...daemonHere(role, where), signal };
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

/** For what can be done in the files as well: `null` where no daemon listens. */
export async function operatorIfThere(call: CommandCall): Promise<Client | null> {
  try {
    return await connect(connectOptions(call, "operator"));
  } catch (error) {
    if (isCallError(error) && error.code === "client.unreachable") return null;
    throw error;
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
