/** The two forms of authentication: a token shown, or a token proved by both sides without showing it. */
import { randomBytes } from "node:crypto";
import { type Denial, denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ParamsOf } from "../wire/methods.ts";
import { agentOf, type Caller, type Credentials, callerByProof, callerByToken, tokenOf } from "./caller.ts";
import { mayBeOperator, type Peer } from "./peer.ts";
import { type Exchange, proofOf } from "./secret.ts";

export interface Greeting extends Exchange {
  readonly agentId: AgentId | null;
}

export interface Admission {
  readonly caller: Caller;
  /** Named while authenticating; holds for the connection. */
  readonly agentId: AgentId | null;
  readonly halfClose: boolean;
}

const SERVER_NONCE_BYTES = 24;

export function greet(params: ParamsOf<"hello">, credentials: Credentials): { readonly greeting: Greeting; readonly proof: string } {
  const serverNonce = randomBytes(SERVER_NONCE_BYTES).toString("base64url");
  const greeting = { role: params.role, clientNonce: params.nonce, serverNonce, agentId: params.agentId ?? null };
  // Without a token there is nothing to prove; a random key keeps that from showing.
  const key = tokenOf(credentials, params.role) || randomBytes(SERVER_NONCE_BYTES).toString("base64url");
  return { greeting, proof: proofOf(key, "server", greeting) };
}

export function admit(
  params: ParamsOf<"authenticate">,
  greeting: Greeting | null,
  credentials: Credentials,
  peer: Peer,
): Result<Admission, Denial> {
  const caller = callerOf(params, greeting, credentials);
  if (caller === null) return fail(denial("auth.failed", "the credential is wrong; check which token file is used"));
  if (caller.role === "operator") {
    const allowed = mayBeOperator(peer);
    if (!allowed.ok) return allowed;
  }
  const greeted = greeting?.agentId ?? null;
  const agentId = params.agentId ?? greeted;
  if (agentId !== null) {
    const agent = agentOf(caller, greeted, agentId);
    if (!agent.ok) return agent;
  }
  return ok({ caller, agentId, halfClose: params.halfClose });
}

function callerOf(params: ParamsOf<"authenticate">, greeting: Greeting | null, credentials: Credentials): Caller | null {
  if (params.credential.kind === "token") return callerByToken(credentials, params.credential.token);
  return greeting === null ? null : callerByProof(credentials, greeting, params.credential.proof);
}
