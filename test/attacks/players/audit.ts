/** The log: what gets into it, and what happens when somebody reaches into it. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import { countersign } from "../../support/countersign.ts";
import { startTestDaemon } from "../../support/daemon.ts";
import { smallDisk } from "../../support/full-disk.ts";
import { until } from "../../support/processes.ts";
import { type Attack, count, isList, object, shown, text, texts } from "../attack.ts";
import type { Ground } from "../ground.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";
import { filled } from "../placeholders.ts";
import type { Player } from "../player.ts";
import { type Scene, type Stage, sceneOf } from "../stage.ts";
import { playSteps } from "./steps/steps.ts";

export const playAudit: Player = async (attack, ground, stage) => {
  const given = filled(attack.given, ground.names);
  const shape = Object.keys(given).sort().join(" ");
  switch (shape) {
    case "argv":
    case "argv env":
    case "argv stdin":
    case "argv env stdin":
      return recorded(attack, given, ground, stage);
    case "tamper":
      return tampered(attack, text(given["tamper"]), ground, stage);
    case "fault":
      return withFault(text(given["fault"]), ground);
    case "steps":
      return [...(await playSteps(attack, ground, stage)), ...(await everyDecisionRecorded(attack, stage))];
    case "setClock":
      return clockSetBack(attack, count(given["setClock"]), ground, stage);
    default:
      throw new Error(`nothing here plays \`${shape}\``);
  }
};

const FREE = { version: 1, defaults: { security: "full", ask: "off" } };

async function recordsOf({ operator }: Scene): Promise<readonly JsonObject[]> {
  const { records } = await operator.must("audit.tail", { limit: 500 });
  return isList(records) ? records.filter(isJsonObject) : [];
}

/** One line per event, whatever is in the command; `starting` before the end of the run, and both there. */
async function recorded(attack: Attack, given: JsonObject, ground: Ground, stage: Stage): Promise<readonly string[]> {
  const scene = await stage.own(attack, { document: FREE });
  const { runId } = await scene.gateway.must("system.run", { ...given, argv: texts(given["argv"]), cwd: ground.tmp });
  const ofRun = async (): Promise<readonly string[]> =>
    (await recordsOf(scene)).filter((record) => record["runId"] === runId).map(({ type }) => shown(type));
  // The end of a run is written with the next commit, and nobody waits for it.
  await until(async () => (await ofRun()).length >= 2, 2000);
  const lines = linesIn(stage.stateDirOf(attack));
  const found: string[] = [];
  // What a command was given to read, or in its environment, is nobody's business afterwards.
  const secrets = [given["stdin"], ...(given["env"] === undefined ? [] : Object.values(object(given["env"])))];
  for (const secret of secrets)
    if (typeof secret === "string" && lines.some((line) => line.includes(secret))) found.push("the log holds a secret");
  for (const line of lines) {
    const record: unknown = JSON.parse(line);
    if (!isJsonObject(record) || typeof record["seq"] !== "number" || typeof record["prev"] !== "string")
      found.push(`not a record: ${line}`);
  }
  const left = (await ofRun()).join(" ");
  if (left !== "run.starting run.finished") found.push(`the run left ${left}`);
  return found;
}

function filesIn(stateDir: string): readonly string[] {
  const directory = join(stateDir, "audit");
  return readdirSync(directory)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(directory, name));
}

function linesIn(stateDir: string): readonly string[] {
  return filesIn(stateDir).flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
}

/** Somebody edits the log of a stopped daemon; both the command line and the next daemon must find it. */
async function tampered(attack: Attack, how: string, ground: Ground, stage: Stage): Promise<readonly string[]> {
  const scene = await stage.own(attack, { document: FREE });
  for (let run = 0; run < 4; run += 1) await scene.gateway.must("system.run", { argv: ["/usr/bin/true"], cwd: ground.tmp });
  const stateDir = stage.stateDirOf(attack);
  const clean = await countersign(["audit", "verify", "--state-dir", stateDir]);
  scene.leave();
  await scene.daemon.stop();
  const path = filesIn(stateDir).at(-1) ?? "";
  writeFileSync(path, tamper(readFileSync(path, "utf8"), how));
  const after = await countersign(["audit", "verify", "--state-dir", stateDir]);
  return [
    ...(clean.exitCode === 0 ? [] : [`a clean log was called ${clean.stdout}${clean.stderr}`]),
    ...(after.exitCode === 0 ? [`\`${how}\` was not found: ${after.stdout}`] : []),
  ];
}

/** Read by the words of the description; an unknown one is an error. */
function tamper(log: string, how: string): string {
  const lines = log.split("\n").filter((line) => line !== "");
  const joined = (kept: readonly string[]): string => kept.map((line) => `${line}\n`).join("");
  const number = Number(/\d+/.exec(how)?.[0] ?? "1");
  if (/truncate|cut|drop .*last|remove .*last/i.test(how)) return joined(lines.slice(0, -number));
  if (/delete|remove/i.test(how)) return joined(lines.filter((_, index) => index !== number - 1));
  if (/swap|reorder|exchange/i.test(how)) return joined([...lines.slice(0, -2), ...lines.slice(-2).toReversed()]);
  if (/duplicate|repeat|replay/i.test(how)) return joined([...lines, lines.at(-1) ?? ""]);
  if (/insert|append|forge|add/i.test(how)) return joined([...lines.slice(0, -1), forged(lines.at(-2) ?? ""), lines.at(-1) ?? ""]);
  if (/flip|edit|change|alter|modify|rewrite|byte/i.test(how)) return log.replace(/\/usr\/bin\/true/, "/usr/bin/trve");
  if (/empty|erase|wipe/i.test(how)) return "";
  throw new Error(`nothing here knows how to \`${how}\``);
}

/** A record that fits the one before it, but that nobody wrote. */
function forged(previous: string): string {
  const record: unknown = JSON.parse(previous);
  const seq = isJsonObject(record) && typeof record["seq"] === "number" ? record["seq"] + 1 : 1;
  return JSON.stringify({ ...(isJsonObject(record) ? record : {}), seq, prev: createHash("sha256").update(previous).digest("hex") });
}

const ATTEMPTS_MAX = 200;

async function attempt({ gateway }: Scene, ground: Ground): Promise<Outcome> {
  return outcomeOf(await gateway.call("system.run", { argv: ["/usr/bin/touch", ground.mark], cwd: ground.tmp }));
}

/** What cannot be recorded is not run. */
async function withFault(fault: string, ground: Ground): Promise<readonly string[]> {
  if (!/ENOSPC|EDQUOT|EFBIG|EIO|full/i.test(fault)) throw new Error(`nothing here can make \`${fault}\``);
  const disk = smallDisk();
  const daemon = await startTestDaemon({ stateDir: disk.stateDir, document: FREE });
  try {
    const scene = await sceneOf(daemon, true);
    disk.fill(daemon.process.pid ?? 0);
    // A page of the file may have room for a few more records; what is written there is written.
    let ran = 0;
    let outcome = await attempt(scene, ground);
    for (; outcome.decision === "allow" && ran < ATTEMPTS_MAX; ran += 1) {
      ground.unmark();
      outcome = await attempt(scene, ground);
    }
    const found = [
      ...(outcome.decision === "allow" ? ["it always ran"] : []),
      ...(ground.marked() ? ["the marker is there"] : []),
      ...(outcome.code === "state.io" ? [] : [`refused for another reason: ${outcome.words}`]),
    ];
    disk.relieve(daemon.process.pid ?? 0);
    const started = (await recordsOf(scene)).filter(({ type }) => type === "run.starting").length;
    if (started < ran) found.push(`${ran} ran and ${started} are in the log`);
    scene.leave();
    return found;
  } finally {
    await daemon.stop();
    disk.remove();
  }
}

/** Asked, answered and let lapse: each is there, with who, when and the binding. */
async function everyDecisionRecorded(attack: Attack, stage: Stage): Promise<readonly string[]> {
  const scene = await stage.shared();
  const records = (await recordsOf(scene)).filter(({ agentId }) => agentId === stage.agentOf(attack));
  const asked = records.filter(
    ({ type, binding, at, id }) =>
      type === "approval.requested" && typeof binding === "string" && typeof at === "number" && typeof id === "string",
  );
  return asked.length >= 2 ? [] : [`of two requests ${asked.length} are in the log`];
}

/** Records are numbered by their place and stamped by a clock that only goes forward. */
async function clockSetBack(attack: Attack, seconds: number, ground: Ground, stage: Stage): Promise<readonly string[]> {
  const clocked: Attack = {
    ...attack,
    given: { steps: [{ op: "request" }, { op: "setClock", deltaMs: seconds * 1000 }, { op: "resolve", decision: "deny" }] },
  };
  const played = await playSteps(clocked, ground, stage);
  const lines = linesIn(stage.stateDirOf(attack)).map((line): unknown => JSON.parse(line));
  const stamps = lines.filter(isJsonObject).map(({ seq, at }) => ({ seq: count(seq), at: count(at) }));
  const bad = stamps.find(
    ({ seq, at }, index) => index > 0 && (seq !== (stamps[index - 1]?.seq ?? 0) + 1 || at < (stamps[index - 1]?.at ?? 0)),
  );
  return [...played, ...(bad === undefined ? [] : [`record ${bad.seq} is out of order`])];
}
