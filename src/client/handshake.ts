/** Turns an open connection into an authenticated one, without handing the token to whoever happens to listen at the path. */
import { randomBytes } from "node:crypto";
import { CallError } from "./call-error.ts";
import { badAnswer, type Connection, openConnection } from "./connection.ts";
import { proofOf, type Role, sameProof } from "./proof.ts";
import { GUARDS, isWelcome } from "./results.ts";
import type { Guarded } from "./shape.ts";

export interface Target {
  readonly socketPath: string;
  readonly token: string;
  readonly role: Role;
  /** Holds for the connection: a request that names another agent is then refused. */
  readonly agentId?: string;
  /** `false` sends the token itself: for named gateways, of whose token the daemon knows only a hash. */
  readonly mutual?: boolean;
}

export type Welcome = Guarded<typeof isWelcome>;

export async function openSession(target: Target, signal?: AbortSignal): Promise<{ connection: Connection; welcome: Welcome }> {
  const connection = await openConnection(target.socketPath, signal);
  try {
    const credential = target.mutual === false ? { token: target.token } : { proof: await proveBoth(connection, target, signal) };
    // In the mutual form `hello` has already named the agent.
    const agent = target.mutual === false && target.agentId !== undefined ? { agentId: target.agentId } : {};
    const welcome = await connection.call("authenticate", { ...credential, ...agent }, signal);
    if (!isWelcome(welcome)) throw badAnswer("an unknown answer to `authenticate`");
    if (welcome.protocol !== 1) throw badAnswer(`protocol ${welcome.protocol} where 1 is spoken`);
    return { connection, welcome };
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function proveBoth(connection: Connection, target: Target, signal?: AbortSignal): Promise<string> {
  const { role, token } = target;
  const nonce = randomBytes(24).toString("base64url");
  const agent = target.agentId === undefined ? {} : { agentId: target.agentId };
  const greeting = await connection.call("hello", { role, nonce, ...agent }, signal);
  if (!GUARDS.hello(greeting)) throw badAnswer("an unknown answer to `hello`");
  if (!sameProof(proofOf(token, "server", role, nonce, greeting.nonce), greeting.proof)) {
    throw new CallError(
      "client.untrusted-server",
      `whoever listens at \`${target.socketPath}\` does not know this ${role} token; was it rotated, or is this another daemon's socket? \`countersign token show-path --role ${role}\` names its file`,
      { socket: target.socketPath },
    );
  }
  return proofOf(token, "client", role, nonce, greeting.nonce);
}
