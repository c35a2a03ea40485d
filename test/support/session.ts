/** An authenticated conversation whose refusals are values: what most live tests want to look at. */
import { type Client, connect, isCallError, type Role } from "../../src/client/client.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import type { TestDaemon } from "./daemon.ts";

export type Answer =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly data: JsonObject };

export interface Session {
  readonly client: Client;
  call(method: string, params?: JsonObject): Promise<Answer>;
  /** The result, or a failed test that quotes the refusal. */
  must(method: string, params?: JsonObject): Promise<JsonObject>;
  close(): void;
}

export interface Door {
  readonly socketPath: string;
  readonly gatewayToken: string;
  readonly operatorToken: string;
}

export async function openSession(door: Door, role: Role, agentId?: string): Promise<Session> {
  const token = role === "operator" ? door.operatorToken : door.gatewayToken;
  const client = await connect({ socketPath: door.socketPath, role, token, ...(agentId === undefined ? {} : { agentId }) });
  const call = async (method: string, params: JsonObject = {}): Promise<Answer> => {
    try {
      const result: unknown = await client.call(method, params);
      return { ok: true, result: isJsonObject(result) ? result : {} };
    } catch (error) {
      if (!isCallError(error)) throw error;
      return { ok: false, code: error.code, message: error.message, data: error.data };
    }
  };
  return {
    client,
    call,
    must: async (method, params) => {
      const answer = await call(method, params);
      if (!answer.ok) throw new Error(`${method} was refused: ${answer.code}: ${answer.message}`);
      return answer.result;
    },
    close: () => client.close(),
  };
}

/** An operator who is there to answer: without one every question expires at once. */
export async function attachOperator(daemon: TestDaemon | Door): Promise<Session> {
  const operator = await openSession(daemon, "operator");
  await operator.must("events.subscribe", { topics: ["exec.approval.requested"] });
  return operator;
}

/** Asks and lets the operator say yes; the approval's id. */
export async function approve(gateway: Session, operator: Session, params: JsonObject, decision = "allow-once"): Promise<string> {
  const asked = await gateway.must("exec.approval.request", { ...params, twoPhase: true });
  const { id, status } = asked;
  if (typeof id !== "string" || status !== "accepted") throw new Error(`not asked: ${JSON.stringify(asked)}`);
  await operator.must("exec.approval.resolve", { id, decision });
  return id;
}
