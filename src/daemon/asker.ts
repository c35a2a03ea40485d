import { type Denial, denial } from "../core/denial.ts";
import { type AgentId, isAgentId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";

/** Who is on the other end of a connection, as far as the methods care. */
export interface Asker {
  readonly role: "gateway" | "operator";
  /** The credential's name, never its secret: what a gateway started is known by it. */
  readonly credential: string;
  /** Held by the connection since `authenticate`; another one in a request is refused. */
  readonly agentId: AgentId | null;
  mayActFor(agentId: AgentId): boolean;
  readonly peer: { readonly pid: number; readonly uid: number } | null;
}

export function agentOf(asker: Asker, named: AgentId | null): Result<AgentId, Denial> {
  const agentId = named ?? asker.agentId ?? mainAgent();
  if (asker.agentId !== null && asker.agentId !== agentId) {
    return fail(
      denial("auth.forbidden", `this connection speaks for agent \`${asker.agentId}\`; open another for \`${agentId}\``, {
        field: "agentId",
      }),
    );
  }
  if (asker.mayActFor(agentId)) return ok(agentId);
  return fail(
    denial("auth.forbidden", `this credential may not act for agent \`${agentId}\`; use one that is bound to it`, { field: "agentId" }),
  );
}

function mainAgent(): AgentId {
  const name: string = "main";
  if (!isAgentId(name)) throw new Error("`main` is an agent id");
  return name;
}
