import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Call, ParamsOf } from "../wire/methods.ts";
import type { Topic } from "../wire/params/session.ts";
import type { Administration } from "./administration.ts";
import { cancelApproval, getApproval, listApprovals, requestApproval, resolveApproval, waitDecision } from "./approval-methods.ts";
import { allowedDecisions, stoppingDenial } from "./ask.ts";
import type { Consume } from "./consume.ts";
import { getDocument, otherHost, patchDocument, setDocument } from "./document-methods.ts";
import { prepare } from "./prepare.ts";
import { displayJson, preparedJson } from "./prepared-json.ts";
import { type RunCaller, runCommand } from "./run-command.ts";
import type { World } from "./world.ts";

/** What a connection gives its calls: who asks, how to reach them, and what they listen to. */
export interface CallCaller extends RunCaller {
  subscribe(topics: readonly Topic[]): void;
  unsubscribe(topics: readonly Topic[] | undefined): void;
}

export type Dispatch = (call: Call, caller: CallCaller) => Promise<Result<JsonObject, Denial>>;

/** One exhaustive switch: a method that is in the wire's table and not here does not compile. */
export function createDispatch(world: World, administration: Administration, consume: Consume): Dispatch {
  return async (call, caller) => {
    const { asker } = caller;
    switch (call.method) {
      case "hello":
      case "authenticate":
        return fail(denial("wire.invalid-params", "this connection is authenticated already", { field: "method" }));
      case "system.run.prepare": {
        const prepared = await prepare(call.params, asker, world, "to-show");
        if (!prepared.ok) return prepared;
        world.release(prepared.value.evidence);
        const shown = preparedJson(prepared.value, world.enforcement.level, allowedDecisions(prepared.value));
        if (asker.role !== "operator") return ok(shown);
        return ok({ ...shown, display: { ...displayJson(prepared.value), env: Object.fromEntries(call.params.env) } });
      }
      case "system.run":
        if (world.stopping.aborted) return fail(stoppingDenial());
        return runCommand(call.params, caller, world, consume);
      case "system.run.cancel": {
        const cancelled = world.runs.cancel(call.params.runId, asker.role === "operator" ? null : asker.credential);
        return cancelled.ok ? ok({ runId: call.params.runId, cancelled: true }) : cancelled;
      }
      case "system.which":
        return which(call.params, world, caller);
      case "exec.approval.request":
        if (world.stopping.aborted) return fail(stoppingDenial());
        return requestApproval(call.params, caller, world);
      case "exec.approval.waitDecision":
        return waitDecision(call.params.id, caller, world);
      case "exec.approval.resolve":
        return resolveApproval(call.params, asker, world);
      case "exec.approval.list":
        return listApprovals(call.params, asker, world);
      case "exec.approval.get":
        return getApproval(call.params.id, asker, world);
      case "exec.approval.cancel":
        return cancelApproval(call.params.id, asker, world);
      case "exec.approvals.get":
        return getDocument(world);
      case "exec.approvals.set":
        return setDocument(call.params, asker, world);
      case "exec.approvals.patch":
        return patchDocument(call.params, asker, world);
      case "exec.approvals.node.get":
      case "exec.approvals.node.set":
        return fail(otherHost());
      case "events.subscribe":
        caller.subscribe(call.params.topics);
        return ok({ topics: call.params.topics });
      case "events.unsubscribe":
        caller.unsubscribe(call.params.topics);
        return ok({});
      case "exec.grants.list":
        return administration.listGrants(call.params);
      case "exec.grants.revoke":
        return administration.revokeGrant(call.params, asker);
      case "tools.evaluate":
        return administration.evaluateTool(call.params, asker);
      case "tools.list":
        return administration.listTools(call.params, asker);
      case "elevated.evaluate":
        return administration.evaluateElevated(call.params, asker);
      case "status":
        return administration.status(asker);
      case "audit.tail":
        return administration.tailAudit(call.params);
      case "audit.verify":
        return administration.verifyAudit();
      case "token.rotate":
        return administration.rotateToken(call.params, asker);
      case "trust.add":
        return administration.addTrust(call.params, asker);
      case "trust.list":
        return administration.listTrust();
      case "trust.remove":
        return administration.removeTrust(call.params, asker);
    }
  };
}

function which(params: ParamsOf<"system.which">, world: World, caller: RunCaller): Result<JsonObject, Denial> {
  const agent = caller.asker.agentFor(params.agentId ?? null);
  if (!agent.ok) return agent;
  const child = world.childOf(world.policies().execFor(agent.value));
  if (!child.ok) return child;
  const { machine, home } = child.value;
  const paths = params.names.map((name): [string, string | null] => {
    // A name with a slash is a path already; `which` is about PATH.
    const program = name.includes("/") ? "not-found" : machine.program(name, home);
    return [name, typeof program === "string" ? null : program.realPath];
  });
  return ok({ paths: Object.fromEntries(paths) });
}
