/** Something was approved; something that differs in one point is run on that approval. */
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { attachOperator } from "../../support/session.ts";
import { type Attack, object, text } from "../attack.ts";
import { complaints, type Outcome, outcomeOf } from "../outcome.ts";
import { filled, filledText } from "../placeholders.ts";
import type { Player } from "../player.ts";
import type { Scene, Stage } from "../stage.ts";

/** Members of `run` that say what happens around it rather than what is sent. */
const AROUND = new Set(["envOrder", "hostEnv", "policyChange"]);
/** What is refused for these is refused for good; for the rest the approval must still be there for the rightful run. */
const KEPT_EXCEPT = new Set(["hostEnv", "policyChange"]);

export const playBinding: Player = async (attack, ground, stage) => {
  const agentId = stage.agentOf(attack);
  const approved = { ...filled(object(attack.given["approved"]), ground.names), agentId };
  const changes = object(attack.given["run"]);
  const own = Object.keys(changes).some((name) => KEPT_EXCEPT.has(name));
  const scene = own ? await stage.own(attack) : await stage.shared();
  const asked = await scene.gateway.call("exec.approval.request", { ...approved, twoPhase: true });
  // What cannot even be asked for cannot be run on an answer.
  if (!asked.ok) return complaints(attack, outcomeOf(asked), ground);
  const id = text(asked.result["id"]);
  await scene.operator.must("exec.approval.resolve", { id, decision: "allow-once" });

  const { binding } = await scene.operator.must("exec.approval.get", { id });
  const names = {
    ...ground.names,
    ID: id,
    HASH: text(binding),
    OTHER_PENDING: await another(scene, agentId, null),
    DENIED: await another(scene, agentId, "deny"),
  };
  const run = { ...approved, approvalId: id, ...agentOver(approved, changes), ...sent(changes, approved, names) };
  const playing = own ? await changedAround(attack, scene, changes, stage) : scene;
  const outcome = refusedOrRun(outcomeOf(await playing.gateway.call("system.run", run)));
  const kept = own || outcome.decision === "allow" ? [] : await stillThere(playing, approved, id);
  return [...complaints(attack, outcome, ground), ...because(outcome), ...(ground.marked() ? ["the marker is there"] : []), ...kept];
};

/** A run that names an approval is not a question: what is not run is refused, also where the answer is still to come. */
function refusedOrRun(outcome: Outcome): Outcome {
  return outcome.decision === "ask" ? { ...outcome, decision: "deny" } : outcome;
}

function agentOver(approved: JsonObject, changes: JsonObject): JsonObject {
  return { agentId: changes["agentId"] ?? approved["agentId"] };
}

function sent(changes: JsonObject, approved: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const known = Object.entries(changes).filter(([name]) => !AROUND.has(name));
  const filledIn = known.map(([name, value]): [string, JsonValue | undefined] => [
    name,
    typeof value === "string" ? filledText(value, names) : value,
  ]);
  if (changes["envOrder"] !== "reversed") return Object.fromEntries(filledIn);
  const env = object(changes["env"] ?? approved["env"]);
  return { ...Object.fromEntries(filledIn), env: Object.fromEntries(Object.entries(env).toReversed()) };
}

/** Another approval of the same credential and agent: pending, or answered with this decision. */
async function another(scene: Scene, agentId: string, decision: "deny" | null): Promise<string> {
  const asked = await scene.gateway.must("exec.approval.request", { argv: ["/usr/bin/true"], cwd: "/", agentId, twoPhase: true });
  const id = text(asked["id"]);
  if (decision !== null) await scene.operator.must("exec.approval.resolve", { id, decision });
  return id;
}

/** The host's policy or environment becomes another between the answer and the run. */
async function changedAround(attack: Attack, scene: Scene, changes: JsonObject, stage: Stage): Promise<Scene> {
  if (changes["policyChange"] !== undefined) {
    const { hash, document } = await scene.operator.must("exec.approvals.get");
    const { agents, ...rest } = object(document);
    const tightened = {
      ...rest,
      agents: { ...(agents === undefined ? {} : object(agents)), [stage.agentOf(attack)]: changes["policyChange"] },
    };
    await scene.operator.must("exec.approvals.set", { baseHash: text(hash), document: tightened });
    return scene;
  }
  const env = Object.fromEntries(
    Object.entries(object(changes["hostEnv"])).map(([name, value]) => [name, filledText(text(value), stage.ground(attack).names)]),
  );
  scene.leave();
  await scene.daemon.stop();
  const again = await stage.own(attack, { env });
  await attachOperator(again.daemon);
  return again;
}

/** A refusal of a different request uses nothing up: the approval still stands for its own. */
async function stillThere(scene: Scene, approved: JsonObject, id: string): Promise<readonly string[]> {
  const outcome = outcomeOf(await scene.gateway.call("system.run", { ...approved, approvalId: id }));
  return outcome.decision === "allow" ? [] : [`the approval does not stand for its own request any more: ${outcome.words}`];
}

function because({ decision, code, words }: Outcome): readonly string[] {
  const named = /^(binding\..*-differs|binding\.unavailable|wire\..*|env\..*|approval\..*|policy\..*)$/;
  return decision === "deny" && !named.test(code ?? "") ? [`refused for no good reason: ${words}`] : [];
}
