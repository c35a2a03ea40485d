/** What was approved is changed before, or while, it is run. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import type { Session } from "../../support/session.ts";
import { type Attack, count, isList, object, objects, shown, text, texts } from "../attack.ts";
import { type Ground, plant, plantAll } from "../ground.ts";
import { complaints, type Outcome, outcomeOf } from "../outcome.ts";
import { filled } from "../placeholders.ts";
import type { Player } from "../player.ts";
import type { Scene, Stage } from "../stage.ts";

const PLAYED = new Set(["argv", "files", "cwd", "afterApproval", "path", "command"]);

export const playToctou: Player = async (attack, ground, stage) => {
  const given = filled(attack.given, ground.names);
  const unknown = Object.keys(given).filter((name) => !PLAYED.has(name));
  if (unknown.length > 0) throw new Error(`nothing here plays \`${unknown.join("`, `")}\``);
  plantAll(given["files"], ground);
  const steps = objects(given["afterApproval"]);
  const scene = await sceneFor(attack, given, ground, stage);
  const agentId = stage.agentOf(attack);
  const params = {
    ...(given["argv"] === undefined ? { command: text(given["command"]) } : { argv: texts(given["argv"]) }),
    cwd: text(given["cwd"]),
    agentId,
  };
  if (attack.expect.decisions === null) return sameIdentity(scene.gateway, params);
  if (steps.length === 0) {
    const outcome = outcomeOf(await scene.gateway.call("system.run", params));
    return complaints(attack, outcome, ground);
  }
  const racing = steps.find((step) => step["raceRename"] !== undefined);
  if (racing !== undefined) return race(attack, scene, params, object(racing["raceRename"]), ground);
  return afterApproval(attack, scene, params, steps, ground);
};

/** Where nothing happens afterwards, the question is what a list allows: everything planted is listed but the command itself. */
async function sceneFor(attack: Attack, given: JsonObject, ground: Ground, stage: Stage): Promise<Scene> {
  const path = given["path"] === undefined ? [] : text(given["path"]).split(":");
  const steps = objects(given["afterApproval"]);
  if (steps.length > 0 && path.length === 0) return stage.shared();
  const [command = ""] = given["argv"] === undefined ? [] : texts(given["argv"]);
  const itself = resolve(ground.tmp, command);
  const allowlist = planted(given, ground).filter((pattern) => pattern !== itself);
  const document = { version: 1, agents: { [stage.agentOf(attack)]: { security: "allowlist", ask: "off", allowlist } } };
  const settings = path.length === 0 ? {} : { settings: { tools: { exec: { path: [...path, "/usr/bin", "/bin"] } } } };
  return stage.own(attack, { ...(steps.length === 0 ? { document } : {}), ...settings });
}

function planted(given: JsonObject, ground: Ground): readonly string[] {
  return objects(given["files"]).flatMap((file) => {
    if (typeof file["path"] === "string") return [join(ground.tmp, file["path"])];
    return typeof file["mkdir"] === "string" ? [join(ground.tmp, file["mkdir"], "**")] : [];
  });
}

async function afterApproval(
  attack: Attack,
  scene: Scene,
  params: JsonObject,
  steps: readonly JsonObject[],
  ground: Ground,
): Promise<readonly string[]> {
  const { gateway, operator } = scene;
  const asked = await gateway.call("exec.approval.request", { ...params, twoPhase: true });
  if (!asked.ok) return complaints(attack, outcomeOf(asked), ground);
  const approvalId = text(asked.result["id"]);
  const { unbound } = object(object((await operator.must("exec.approval.get", { id: approvalId }))["plan"]));
  await operator.must("exec.approval.resolve", { id: approvalId, decision: "allow-once" });
  let changed: JsonObject = {};
  for (const step of steps) {
    if (step["runArgv"] !== undefined) changed = { ...changed, argv: texts(step["runArgv"]) };
    else if (step["runCwd"] !== undefined) changed = { ...changed, cwd: text(step["runCwd"]) };
    else if (step["runEnv"] !== undefined) changed = { ...changed, env: object(step["runEnv"]) };
    else plant(step, ground);
  }
  const outcome = outcomeOf(await gateway.call("system.run", { ...params, ...changed, approvalId }));
  return judged(attack, outcome, isList(unbound) && unbound.length > 0, ground);
}

/** What was said not to be covered may have changed; everything else is refused, with the part that drifted named. */
function judged(attack: Attack, outcome: Outcome, saysUnbound: boolean, ground: Ground): readonly string[] {
  if (attack.expect.decisions?.includes("not-content-bound") === true && saysUnbound) return [];
  const contentBound = attack.expect.marker === "absent-if-content-bound" && !saysUnbound && ground.marked();
  const drift =
    outcome.decision === "deny" && !/^(binding|exec)\./.test(outcome.code ?? "") ? [`refused for another reason: ${outcome.words}`] : [];
  return [
    ...complaints(attack, outcome, ground),
    ...(contentBound ? ["changed code ran, and nothing had said that it was not covered"] : []),
    ...drift,
  ];
}

const LAUNCHES = 60;

/** The name goes back and forth between two files while approved launches are made; only the approved bytes ever run. */
async function race(attack: Attack, scene: Scene, params: JsonObject, race: JsonObject, ground: Ground): Promise<readonly string[]> {
  const argv = texts(params["argv"]);
  const target = argv.at(-1) ?? "";
  writeFileSync(join(ground.tmp, "evil.src"), `#!/bin/sh\ntouch ${ground.mark}\n`, { mode: 0o755 });
  writeFileSync(join(ground.tmp, "good.src"), "#!/bin/sh\necho ok\n", { mode: 0o755 });
  const { gateway, operator } = scene;
  const agents = [0, 1, 2].map((index) => `${shown(params["agentId"])}-${index}`);
  const approved: JsonObject[] = [];
  for (const agentId of agents) {
    for (let one = 0; one < LAUNCHES / agents.length; one += 1) {
      const { id } = await gateway.must("exec.approval.request", { ...params, agentId, twoPhase: true });
      await operator.must("exec.approval.resolve", { id: text(id), decision: "allow-once" });
      approved.push({ ...params, agentId, approvalId: text(id) });
    }
  }
  const swaps = count(race["iterations"]);
  const loop = `i=0; while [ $i -lt ${swaps} ]; do cp evil.src e && mv -f e '${target}'; cp -p good.src g && mv -f g '${target}'; i=$((i+1)); done`;
  const attacker = spawn("sh", ["-c", loop], { cwd: ground.tmp, stdio: "ignore" });
  const found: string[] = [];
  for (const run of approved) {
    const outcome = outcomeOf(await gateway.call("system.run", run));
    if (outcome.decision === "allow" && outcome.data["stdout"] !== "ok\n") found.push(`it printed ${shown(outcome.data["stdout"])}`);
  }
  attacker.kill("SIGKILL");
  await once(attacker, "close");
  return [...found, ...(ground.marked() ? [`the marker is there after ${LAUNCHES} launches (${attack.id})`] : [])];
}

/** One file under two names is one identity, so no rule can be slipped past by the other name. */
async function sameIdentity(gateway: Session, params: JsonObject): Promise<readonly string[]> {
  const [command = "", ...rest] = texts(params["argv"]);
  const other = command.startsWith("/usr/") ? command.slice("/usr".length) : `/usr${command}`;
  const paths = [];
  for (const name of [command, other]) {
    const { plan } = await gateway.must("system.run.prepare", { ...params, argv: [name, ...rest] });
    const { executable } = object(plan);
    paths.push(isJsonObject(executable) ? executable["path"] : null);
  }
  return paths[0] === paths[1] ? [] : [`${command} is ${shown(paths[0])} and ${other} is ${shown(paths[1])}`];
}
