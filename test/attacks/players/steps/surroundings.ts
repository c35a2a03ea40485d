/** What happens around an approval: restarts, clocks, people who come and go, grants that are taken back. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../../../src/core/json.ts";
import { until } from "../../../support/processes.ts";
import { attachOperator, openSession } from "../../../support/session.ts";
import { count, isList, shown, text } from "../../attack.ts";
import { outcomeOf } from "../../outcome.ts";
import { checkStates, letTimePass, type Play, type Step } from "./play.ts";

export const restart: Step = async (play) => {
  play.scene.leave();
  await play.scene.daemon.kill();
  play.scene = await play.stage.own(play.attack);
  await checkStates(play);
};

export function clockFile(play: Pick<Play, "stage" | "attack">): string {
  return join(play.stage.stateDirOf(play.attack), "../clock");
}

export const setClock: Step = async (play, step) => {
  writeFileSync(clockFile(play), shown(count(step["deltaMs"])));
};

export const pause: Step = async (play, step) => {
  await sleep(count(step["ms"]));
  letTimePass(play);
};

/** Whoever asked goes away; what was asked stays. */
export const requesterLeaves: Step = async (play) => {
  play.scene.gateway.close();
  play.scene = { ...play.scene, gateway: await openSession(play.scene.daemon, "gateway") };
};

/** The old token is worth nothing any more, and whoever came in with it is out. */
export const rotate: Step = async (play) => {
  const { gateway, operator, daemon } = play.scene;
  await operator.must("token.rotate", { role: "gateway" });
  await until(async () => !(await gateway.call("status")).ok, 2000);
  if ((await gateway.call("status")).ok) play.found.push("a connection with the old token lives on");
  const again = await openSession(daemon, "gateway").catch(() => null);
  if (again !== null) play.found.push("the old token still opens the door");
  const stored: unknown = JSON.parse(readFileSync(join(daemon.stateDir, "exec-approvals.json"), "utf8"));
  const gatewayToken = /"token":"([^"]+)"/.exec(JSON.stringify(stored))?.[1] ?? "";
  play.scene = { ...play.scene, gateway: await openSession({ ...daemon, gatewayToken }, "gateway") };
};

export const operatorLeaves: Step = async (play) => {
  play.scene.operator.close();
};

export const operatorReturns: Step = async (play) => {
  play.scene = { ...play.scene, operator: await attachOperator(play.scene.daemon) };
};

/** Nothing was started before it was allowed: the log's own order says so. */
export const status: Step = async (play) => {
  await play.scene.gateway.must("status");
  const { records } = await play.scene.operator.must("audit.tail", { limit: 500 });
  const decided = new Set<string>();
  for (const record of isList(records) ? records.filter(isJsonObject) : []) {
    const { type, id, approvalId, decision } = record;
    if (type === "approval.decided" && decision !== "deny") decided.add(shown(id));
    if (type === "run.starting" && typeof approvalId === "string" && !decided.has(approvalId))
      play.found.push(`run ${approvalId} before it was allowed`);
  }
  await checkStates(play);
};

const grantable = (play: Play): JsonObject => ({ argv: ["/usr/bin/touch", play.ground.mark], cwd: play.ground.tmp, agentId: play.agentId });

export const grant: Step = async (play) => {
  const { hash } = await play.scene.operator.must("exec.approvals.get");
  await play.scene.operator.must("exec.approvals.patch", { baseHash: text(hash), agentId: play.agentId, add: ["/usr/bin/touch"] });
};

/** What is waiting to run was allowed when it was put there. */
export const enqueueRun: Step = async (play) => {
  const { decision } = await play.scene.gateway.must("system.run.prepare", grantable(play));
  if (!isJsonObject(decision) || decision["outcome"] !== "allow") play.found.push(`the grant does not hold: ${JSON.stringify(decision)}`);
};

export const revoke: Step = async (play) => {
  const { grants } = await play.scene.operator.must("exec.grants.list", { agentId: play.agentId });
  for (const one of isList(grants) ? grants.filter(isJsonObject) : []) {
    if (one["agentId"] === play.agentId) await play.scene.operator.must("exec.grants.revoke", { id: text(one["id"]) });
  }
};

export const dequeueRun: Step = async (play) => {
  play.last = outcomeOf(await play.scene.gateway.call("system.run", grantable(play)));
  if (play.last.decision === "allow") play.found.push("it ran on a grant that had been taken back");
};
