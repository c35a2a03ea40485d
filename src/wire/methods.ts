/** Every method of the protocol in one table: its parameters and who may call it. What is not listed here cannot be called. */
import * as v from "valibot";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonValue } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { complaintOf } from "./complaint.ts";
import { byId, listApprovals, requestApproval, requestApprovalOf, resolveApproval } from "./params/approval.ts";
import { commandOf } from "./params/command.ts";
import {
  evaluateElevated,
  evaluateTool,
  getNodeDocument,
  listGrants,
  listTools,
  patchDocument,
  revokeGrant,
  setDocument,
  setNodeDocument,
} from "./params/policy.ts";
import { cancelRun, prepare, run, runOf, which } from "./params/run.ts";
import {
  addTrust,
  authenticate,
  authenticateOf,
  hello,
  nothing,
  type Role,
  removeTrust,
  rotateToken,
  subscribe,
  tailAudit,
  unsubscribe,
} from "./params/session.ts";

type Access = "before-authentication" | "everyone" | "operator";

/** One row: the shape that a schema document can be made from, and the reading of it that gives a typed call. */
interface Method<Name extends string, Schema extends v.GenericSchema, Params = v.InferOutput<Schema>> {
  readonly name: Name;
  readonly schema: Schema;
  readonly roles: readonly Role[];
  readonly needsAuth: boolean;
  parse(params: JsonValue): Result<{ readonly method: Name; readonly params: Readonly<Params> }, Denial>;
}

function row<const Name extends string, const Schema extends v.GenericSchema, Params>(
  name: Name,
  access: Access,
  schema: Schema,
  convert: (sent: v.InferOutput<Schema>) => Result<Params, Denial>,
): Method<Name, Schema, Params> {
  return {
    name,
    schema,
    roles: access === "operator" ? ["operator"] : ["gateway", "operator"],
    needsAuth: access !== "before-authentication",
    parse: (params) => {
      const sent = v.safeParse(schema, params, { abortEarly: true, abortPipeEarly: true });
      if (!sent.success) return fail(complaintOf(sent.issues[0]));
      const converted = convert(sent.output);
      return converted.ok ? ok({ method: name, params: converted.value }) : converted;
    },
  };
}

/** For parameters that mean what they say. */
function plain<const Name extends string, const Schema extends v.GenericSchema>(
  name: Name,
  access: Access,
  schema: Schema,
): Method<Name, Schema> {
  return row(name, access, schema, (sent) => ok(sent));
}

export const METHODS = {
  hello: plain("hello", "before-authentication", hello),
  authenticate: row("authenticate", "before-authentication", authenticate, authenticateOf),
  "system.run.prepare": row("system.run.prepare", "everyone", prepare, commandOf),
  "system.run": row("system.run", "everyone", run, runOf),
  "system.run.cancel": plain("system.run.cancel", "everyone", cancelRun),
  "system.which": plain("system.which", "everyone", which),
  "exec.approval.request": row("exec.approval.request", "everyone", requestApproval, requestApprovalOf),
  "exec.approval.waitDecision": plain("exec.approval.waitDecision", "everyone", byId),
  // A gateway passes here only with `socket.gatewayMayResolve`, see auth/caller.ts.
  "exec.approval.resolve": plain("exec.approval.resolve", "operator", resolveApproval),
  "exec.approval.list": plain("exec.approval.list", "everyone", listApprovals),
  "exec.approval.get": plain("exec.approval.get", "everyone", byId),
  "exec.approval.cancel": plain("exec.approval.cancel", "everyone", byId),
  "exec.approvals.get": plain("exec.approvals.get", "everyone", nothing),
  "exec.approvals.set": plain("exec.approvals.set", "operator", setDocument),
  "exec.approvals.patch": plain("exec.approvals.patch", "operator", patchDocument),
  "exec.approvals.node.get": plain("exec.approvals.node.get", "everyone", getNodeDocument),
  "exec.approvals.node.set": plain("exec.approvals.node.set", "operator", setNodeDocument),
  "exec.grants.list": plain("exec.grants.list", "operator", listGrants),
  "exec.grants.revoke": plain("exec.grants.revoke", "operator", revokeGrant),
  "tools.evaluate": plain("tools.evaluate", "everyone", evaluateTool),
  "tools.list": plain("tools.list", "everyone", listTools),
  "elevated.evaluate": plain("elevated.evaluate", "everyone", evaluateElevated),
  "events.subscribe": plain("events.subscribe", "everyone", subscribe),
  "events.unsubscribe": plain("events.unsubscribe", "everyone", unsubscribe),
  status: plain("status", "everyone", nothing),
  "audit.tail": plain("audit.tail", "operator", tailAudit),
  "audit.verify": plain("audit.verify", "operator", nothing),
  "token.rotate": plain("token.rotate", "operator", rotateToken),
  "trust.add": plain("trust.add", "operator", addTrust),
  "trust.list": plain("trust.list", "operator", nothing),
  "trust.remove": plain("trust.remove", "operator", removeTrust),
} as const;

export type MethodName = keyof typeof METHODS;
type Parsed = ReturnType<(typeof METHODS)[MethodName]["parse"]>;
/** A call that is well formed; whether the caller may make it is another question. */
export type Call = Extract<Parsed, { readonly ok: true }>["value"];
export type CallOf<Name extends MethodName> = Extract<Call, { readonly method: Name }>;
export type ParamsOf<Name extends MethodName> = CallOf<Name>["params"];

export function isMethodName(text: string): text is MethodName {
  return Object.hasOwn(METHODS, text);
}

/** Leaving `params` out is the same as sending an empty object. */
export function parseCall(method: string, params: JsonValue | undefined): Result<Call, Denial> {
  if (isMethodName(method)) return METHODS[method].parse(params ?? {});
  return fail(denial("wire.unknown-method", "no such method; see the protocol page for their names"));
}
