/** Who is calling. A Caller is made here alone, out of a secret that was right: holding one is the proof of it. */
import { type Denial, denial } from "../core/denial.ts";
import { type AgentId, isAgentId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type Sha256, sha256Of } from "../core/sha256.ts";
import { METHODS, type MethodName } from "../wire/methods.ts";
import { coversAgent } from "./agent-pattern.ts";
import { type Exchange, proofOf, sameDigest, sameSecret } from "./secret.ts";

/** The secrets in force. An empty token is no token: it lets nobody in. */
export interface Credentials {
  readonly gatewayToken: string;
  readonly operatorToken: string;
  /** By name. `agents` are ids or patterns such as `ops-*`; `null` means every agent. */
  readonly gateways: ReadonlyMap<string, { readonly tokenSha256: Sha256; readonly agents: readonly string[] | null }>;
  readonly gatewayMayResolve: boolean;
}

export type { Gateway, Operator };
export type Caller = Gateway | Operator;
/** Who may decide: an operator, or a gateway that the document says may. resolve() takes nothing less. */
export type Decider = Operator | (Gateway & { readonly mayResolve: true });

class Gateway {
  readonly #minted = true;
  readonly role = "gateway";
  /** `gateway`, or `gateway:<name>` for a further one: what it started is its own under this name. */
  readonly credential: string;
  readonly agents: readonly string[] | null;
  readonly mayResolve: boolean;
  /** Which token it was, so that rotation finds the connections that used it. */
  readonly tokenSha256: Sha256;

  constructor(credential: string, agents: readonly string[] | null, mayResolve: boolean, tokenSha256: Sha256) {
    this.credential = credential;
    this.agents = agents;
    this.mayResolve = mayResolve;
    this.tokenSha256 = tokenSha256;
    Object.freeze(this);
  }

  static is(value: object): value is Gateway {
    return #minted in value;
  }
}

class Operator {
  readonly #minted = true;
  readonly role = "operator";
  readonly credential = "operator";
  readonly tokenSha256: Sha256;

  constructor(tokenSha256: Sha256) {
    this.tokenSha256 = tokenSha256;
    Object.freeze(this);
  }

  static is(value: object): value is Operator {
    return #minted in value;
  }
}

export function isCaller(value: object): value is Caller {
  return Gateway.is(value) || Operator.is(value);
}

/** Every credential is compared, whichever matches, so that time does not tell which one it was. */
export function callerByToken(credentials: Credentials, token: string): Caller | null {
  const digest = sha256Of(token);
  const isOperator = isSecret(credentials.operatorToken, token);
  const isGateway = isSecret(credentials.gatewayToken, token);
  let named: Gateway | null = null;
  for (const [name, gateway] of credentials.gateways) {
    const matches = sameDigest(gateway.tokenSha256, digest) && token !== "";
    if (matches) named = new Gateway(`gateway:${name}`, gateway.agents, credentials.gatewayMayResolve, digest);
  }
  if (isOperator) return new Operator(digest);
  return isGateway ? new Gateway("gateway", null, credentials.gatewayMayResolve, digest) : named;
}

/** Of further gateways only a hash is known, so they cannot prove themselves without showing their token. */
export function callerByProof(credentials: Credentials, exchange: Exchange, proof: string): Caller | null {
  const token = tokenOf(credentials, exchange.role);
  if (token === "" || !sameSecret(proofOf(token, "client", exchange), proof)) return null;
  return callerByToken(credentials, token);
}

export function tokenOf(credentials: Credentials, role: Exchange["role"]): string {
  return role === "operator" ? credentials.operatorToken : credentials.gatewayToken;
}

/** Whether the token this caller came in with is still good. */
export function isCurrent(caller: Caller, credentials: Credentials): boolean {
  if (caller.role === "operator") return caller.tokenSha256 === sha256Of(credentials.operatorToken);
  if (caller.credential === "gateway") return caller.tokenSha256 === sha256Of(credentials.gatewayToken);
  return credentials.gateways.get(caller.credential.slice("gateway:".length))?.tokenSha256 === caller.tokenSha256;
}

export function mayCall(caller: Caller, method: MethodName): Result<null, Denial> {
  if (METHODS[method].roles.includes(caller.role)) return ok(null);
  if (method === "exec.approval.resolve" && decider(caller) !== null) return ok(null);
  return fail(denial("auth.forbidden", `\`${method}\` is for operators; use the operator's token`, { role: caller.role }));
}

export function decider(caller: Caller): Decider | null {
  return caller.role === "operator" || mayResolve(caller) ? caller : null;
}

function mayResolve(caller: Gateway): caller is Gateway & { readonly mayResolve: true } {
  return caller.mayResolve;
}

/**
 * The agent a request speaks for: the connection's, if one was named there, else the request's, else `main`. `pinned` and `asked` are null
 * where nothing was said.
 */
export function agentOf(caller: Caller, pinned: AgentId | null, asked: AgentId | null): Result<AgentId, Denial> {
  const agent = asked ?? pinned ?? "main";
  if (!isAgentId(agent)) throw new Error("main is an agent's id");
  if (pinned !== null && agent !== pinned) {
    return fail(
      denial("auth.forbidden", `this connection speaks for \`${pinned}\` alone; open another for \`${agent}\``, { agentId: agent }),
    );
  }
  if (caller.role === "operator" || coversAgent(caller.agents, agent)) return ok(agent);
  return fail(denial("auth.forbidden", `\`${caller.credential}\` may not speak for \`${agent}\`; see socket.gateways`, { agentId: agent }));
}

function isSecret(expected: string, given: string): boolean {
  const same = sameSecret(expected, given);
  return same && expected !== "";
}
