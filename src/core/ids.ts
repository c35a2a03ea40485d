import type { Brand } from "./brand.ts";

/** `main`, `ops-1`, `agent:main`: ASCII alone, so that no look-alike letter can pass for another agent. */
export type AgentId = Brand<string, "AgentId">;
/** A UUIDv4 that the daemon made; a client never names one. */
export type ApprovalId = Brand<string, "ApprovalId">;
export type RunId = Brand<string, "RunId">;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;

export function isAgentId(text: string): text is AgentId {
  return AGENT_ID.test(text);
}

export function isApprovalId(text: string): text is ApprovalId {
  return UUID.test(text);
}

export function isRunId(text: string): text is RunId {
  return UUID.test(text);
}
