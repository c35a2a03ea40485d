/** Runs: by approval, by policy, and under a daemon that dies in between. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MAIN } from "../../../support/program.ts";
import { approve } from "../../../support/session.ts";
import { shown, text, texts } from "../../attack.ts";
import { outcomeOf, unfitWords } from "../../outcome.ts";
import { prepareOperands } from "./operands.ts";
import { type Asked, askedNow, checkStates, latest, letTimePass, type Play, type Step } from "./play.ts";

export const HOLD_AFTER_CONSUMPTION = "COUNTERSIGN_TEST_HOLD_AFTER_CONSUMPTION";
const HELD_WITHIN_MS = 10_000;
const TOGETHER_MAX = 100;

export const run: Step = async (play, step) => {
  if (step["argv"] !== undefined) {
    const argv = texts(step["argv"]);
    return argv[0] === "approve-cli" ? refusesOwnChild(play, argv) : runByPolicy(play, argv);
  }
  const asked = latest(play);
  if (asked === null) throw new Error("there is nothing to run");
  if (step["killDaemonAt"] !== undefined) return dieHolding(play, asked, text(step["killDaemonAt"]));
  const together = step["concurrent"] ?? step["parallel"] ?? step["count"] ?? step["times"];
  if (typeof together === "number") return runTogether(play, asked, Math.min(together, TOGETHER_MAX));
  letTimePass(play);
  const agentId = step["agent"] === undefined ? asked.params.agentId : text(step["agent"]);
  const answer = await play.scene.gateway.call("system.run", { ...asked.params, agentId, approvalId: asked.id });
  play.last = outcomeOf(answer);
  play.found.push(...unfitWords(play.last));
  const entitled = asked.state === "allowed" && agentId === asked.params.agentId;
  if (entitled && answer.ok) {
    asked.state = "consumed";
    play.mayBeMarked = true;
  } else if (entitled) play.found.push(`an approved run was refused: ${play.last.words}`);
  else if (answer.ok) play.found.push(`it ran on an approval that was ${asked.state}`);
  await checkStates(play);
};

/** Of any number at once one proceeds, and the rest are told that it was used. */
async function runTogether(play: Play, asked: Asked, times: number): Promise<void> {
  const params = { ...asked.params, approvalId: asked.id };
  const answers = await Promise.all(Array.from({ length: times }, () => play.scene.gateway.call("system.run", params)));
  const ran = answers.filter((answer) => answer.ok).length;
  if (ran !== (asked.state === "allowed" ? 1 : 0)) play.found.push(`${ran} of ${times} ran`);
  if (asked.state === "allowed") play.mayBeMarked = true;
  if (asked.state === "allowed") asked.state = "consumed";
  await checkStates(play);
}

async function runByPolicy(play: Play, argv: readonly string[]): Promise<void> {
  prepareOperands(argv, play.ground, "hostile");
  play.last = outcomeOf(await play.scene.gateway.call("system.run", { argv, cwd: play.ground.tmp, agentId: play.agentId }));
  if (play.last.decision === "allow" && play.attack.expect.decisions === null) play.found.push("it ran, and nobody had approved it");
}

/** A command that runs under the daemon calls the command line to approve another: it has no credential for that and gets none. */
async function refusesOwnChild(play: Play, argv: readonly string[]): Promise<void> {
  const { gateway, operator, daemon } = play.scene;
  const waiting = { argv: ["/usr/bin/touch", play.ground.mark], cwd: play.ground.tmp, agentId: play.agentId };
  const asked = await gateway.must("exec.approval.request", { ...waiting, twoPhase: true });
  const id = text(asked["id"]);
  play.asked.push(askedNow(id, null, waiting));
  const decision = argv.at(-1) ?? "allow-once";
  const child = {
    argv: [process.execPath, MAIN, decision === "deny" ? "deny" : "approve", id, "--state-dir", daemon.stateDir],
    cwd: play.ground.tmp,
    agentId: play.agentId,
  };
  const ran = await gateway.must("system.run", { ...child, approvalId: await approve(gateway, operator, child) });
  if (ran["exitCode"] === 0) play.found.push(`a child of the daemon approved ${id}: ${shown(ran["stdout"])}`);
  await checkStates(play);
}

/** SIGKILL between the durable consumption and the start: spent, not started, and reported as lost. */
async function dieHolding(play: Play, asked: Asked, instant: string): Promise<void> {
  if (instant !== "after-consume-before-spawn") return dieSomewhere(play, asked);
  const { daemon, gateway } = play.scene;
  const running = gateway.call("system.run", { ...asked.params, approvalId: asked.id });
  const held = holdFile(play);
  for (const until = Date.now() + HELD_WITHIN_MS; !existsSync(held) && Date.now() < until; ) await sleep(5);
  if (!existsSync(held)) throw new Error("the daemon never held");
  await daemon.kill();
  const answer = await running;
  if (answer.ok) play.found.push("a run was answered by a daemon that was dead");
  if (asked.state === "allowed") asked.state = "consumed";
}

/** At any other instant nobody can know how far it got; the log of the next daemon says it, and it is never done twice. */
async function dieSomewhere(play: Play, asked: Asked): Promise<void> {
  const running = play.scene.gateway.call("system.run", { ...asked.params, approvalId: asked.id });
  await sleep(Math.random() * 10);
  await play.scene.daemon.kill();
  await running;
  play.scene.leave();
  play.scene = await play.stage.own(play.attack);
  const { state } = await play.scene.operator.must("exec.approval.get", { id: asked.id });
  if (asked.state !== "allowed") return checkStates(play);
  if (state !== "allowed" && state !== "consumed") play.found.push(`after the kill it is ${shown(state)}`);
  if (state === "allowed" && play.ground.marked()) play.found.push("it ran, and can be run again");
  play.mayBeMarked = true;
  asked.state = state === "consumed" ? "consumed" : "allowed";
}

export function holdFile(play: Pick<Play, "stage" | "attack">): string {
  return join(play.stage.stateDirOf(play.attack), "../held");
}
