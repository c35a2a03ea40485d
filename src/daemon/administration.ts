import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import type { ParamsOf } from "../wire/methods.ts";
import type { Asker } from "./asker.ts";

type Answer = Result<JsonObject, Denial> | Promise<Result<JsonObject, Denial>>;

/** Everything that is not a command: reading the policy, the log and the daemon itself, and looking after credentials. */
export interface Administration {
  listGrants(params: ParamsOf<"exec.grants.list">): Answer;
  revokeGrant(params: ParamsOf<"exec.grants.revoke">, asker: Asker): Answer;
  evaluateTool(params: ParamsOf<"tools.evaluate">, asker: Asker): Answer;
  listTools(params: ParamsOf<"tools.list">, asker: Asker): Answer;
  evaluateElevated(params: ParamsOf<"elevated.evaluate">, asker: Asker): Answer;
  status(asker: Asker): Answer;
  tailAudit(params: ParamsOf<"audit.tail">): Answer;
  verifyAudit(): Answer;
  rotateToken(params: ParamsOf<"token.rotate">, asker: Asker): Answer;
  addTrust(params: ParamsOf<"trust.add">, asker: Asker): Answer;
  listTrust(): Answer;
  removeTrust(params: ParamsOf<"trust.remove">, asker: Asker): Answer;
}
