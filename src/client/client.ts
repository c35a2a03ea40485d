/**
 * The client library: `connect`, then `call`, `run` and `subscribe`. Everything it cannot do fails with a `CallError`.
 *
 *     const client = await connect(daemonHere("gateway"));
 *     const run = client.run({ argv: ["git", "status"], cwd: "/srv/app" });
 *     for await (const { bytes } of run) process.stdout.write(bytes);
 *     const { exitCode } = await run.result;
 */
import type { JsonObject } from "../core/json.ts";
import { badAnswer, type Connection } from "./connection.ts";
import { requireToken } from "./credential.ts";
import { openSession, type Target, type Welcome } from "./handshake.ts";
import type { Role } from "./proof.ts";
import type { RunRequest } from "./requests.ts";
import { GUARDS, type Results } from "./results.ts";
import { type Run, startRun } from "./run.ts";
import { record } from "./shape.ts";
import { type Happening, subscribe } from "./subscribe.ts";

export { CallError, isCallError } from "./call-error.ts";
export { EVENTS } from "./events.ts";
export { daemonHere } from "./here.ts";
export type { Role } from "./proof.ts";
export type { ApprovalRequest, CommandRequest, RunRequest } from "./requests.ts";
export type { Approval, Display, Plan, Prepared, Results, RunResult } from "./results.ts";
export type { OutputChunk, Run } from "./run.ts";
export type { Happening } from "./subscribe.ts";

export type ConnectOptions = {
  readonly socketPath: string;
  readonly role: Role;
  readonly agentId?: string;
  readonly mutual?: boolean;
  readonly signal?: AbortSignal;
} & ({ readonly token: string } | { readonly tokenFile: string });

export interface Client {
  /** Who the daemon says it is and what it can promise. */
  readonly welcome: Welcome;
  call<Method extends keyof Results>(method: Method, params?: JsonObject, signal?: AbortSignal): Promise<Results[Method]>;
  call(method: string, params?: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  /** Aborting cancels the run and everything it started. */
  run(params: RunRequest, signal?: AbortSignal): Run;
  /** For a request that came from somewhere else: the daemon says what is wrong with it. */
  run(params: JsonObject, signal?: AbortSignal): Run;
  /** Reconnects until `signal` is aborted. */
  subscribe(topics: readonly string[], signal?: AbortSignal): AsyncIterable<Happening>;
  close(): void;
}

export async function connect(options: ConnectOptions): Promise<Client> {
  const open = opener(options);
  const { connection, welcome } = await openSession(targetOf(options), options.signal);
  return {
    welcome,
    call: caller(connection),
    run: (params: JsonObject, signal?: AbortSignal) => startRun(open, params, signal),
    subscribe: (topics, signal) => subscribe(open, topics, signal),
    close: () => connection.close(),
  };
}

/** One run without a client around it: what a command line or a hook needs, on a single connection. */
export function runOnce(options: ConnectOptions, params: RunRequest): Run;
export function runOnce(options: ConnectOptions, params: JsonObject): Run;
export function runOnce(options: ConnectOptions, params: JsonObject): Run {
  return startRun(opener(options), params, options.signal);
}

function caller(connection: Connection): Client["call"] {
  async function call<Method extends keyof Results>(method: Method, params?: JsonObject, signal?: AbortSignal): Promise<Results[Method]>;
  async function call(method: string, params?: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  async function call(method: string, params: JsonObject = {}, signal?: AbortSignal): Promise<unknown> {
    const answer = await connection.call(method, params, signal);
    const guard = isKnown(method) ? GUARDS[method] : record;
    if (!guard(answer)) throw badAnswer(`an unknown answer to \`${method}\``);
    return answer;
  }
  return call;
}

function isKnown(method: string): method is keyof Results {
  return Object.hasOwn(GUARDS, method);
}

function opener(options: ConnectOptions): (signal?: AbortSignal) => Promise<Connection> {
  return async (signal) => (await openSession(targetOf(options), signal)).connection;
}

/** So begin tokens of further gateways. The daemon has only their hash and could not prove to know them, so it is not asked to. */
const NAMED_GATEWAY = "gateway:";

/** The file is read anew for each connection, so that a rotated token is picked up by the next one. */
function targetOf(options: ConnectOptions): Target {
  const { socketPath, role } = options;
  const token = "token" in options ? options.token : requireToken(options.tokenFile);
  return {
    socketPath,
    role,
    token,
    mutual: options.mutual ?? !token.startsWith(NAMED_GATEWAY),
    ...(options.agentId === undefined ? {} : { agentId: options.agentId }),
  };
}
