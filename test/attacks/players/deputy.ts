/** One agent, host or entrance acting in the name of another. */
import type { JsonObject } from "../../../src/core/json.ts";
import { openSession } from "../../support/session.ts";
import { type Attack, objects, shown, text } from "../attack.ts";
import type { Ground } from "../ground.ts";
import { complaints, type Outcome, outcomeOf } from "../outcome.ts";
import { filled } from "../placeholders.ts";
import type { Player } from "../player.ts";
import type { Scene, Stage } from "../stage.ts";

export const playDeputy: Player = async (attack, ground, stage) => {
  const given = filled(attack.given, ground.names);
  const shape = Object.keys(given).sort().join(" ");
  const command = { argv: ["/usr/bin/touch", ground.mark], cwd: ground.tmp };
  const played = async (outcome: Promise<Outcome>): Promise<readonly string[]> => complaints(attack, await outcome, ground);
  switch (shape) {
    case "connAgent payloadAgent":
      return played(asOther(attack, command, text(given["connAgent"]), text(given["payloadAgent"]), stage));
    case "payloadAgent":
      return played(asNamed(attack, command, text(given["payloadAgent"]), stage));
    case "queue":
      return queue(attack, objects(given["queue"]), ground, stage);
    case "host runHost":
      return played(onOtherHost(attack, command, stage));
    case "origin":
      return played(enteredBy(command, { channel: text(given["origin"]), provider: text(given["origin"]) }, attack, stage));
    case "path":
      return everyEntrance(attack, command, text(given["path"]), ground, stage);
    default:
      throw new Error(`nothing here plays \`${shape}\``);
  }
};

/** What these agents may do matters: one of them everything, the others nothing. */
function document(free: string, more: JsonObject = {}): JsonObject {
  return { version: 1, defaults: { security: "allowlist", ask: "off" }, agents: { [free]: { security: "full", ask: "off" }, ...more } };
}

async function asOther(attack: Attack, command: JsonObject, own: string, claimed: string, stage: Stage): Promise<Outcome> {
  const { daemon } = await stage.own(attack, { document: document(claimed) });
  const session = await openSession(daemon, "gateway", own);
  const outcome = outcomeOf(await session.call("system.run", { ...command, agentId: claimed }));
  session.close();
  return outcome;
}

/** A name that is not a name, or another's, gets nothing of what `main` has. */
async function asNamed(attack: Attack, command: JsonObject, claimed: string, stage: Stage): Promise<Outcome> {
  const { gateway } = await stage.own(attack, { document: document("main") });
  return outcomeOf(await gateway.call("system.run", { ...command, agentId: claimed }));
}

async function queue(attack: Attack, items: readonly JsonObject[], ground: Ground, stage: Stage): Promise<readonly string[]> {
  const [free = "owner"] = items.flatMap(({ agent }) => (agent === "guest" ? [] : [text(agent)])).slice(-1);
  const { gateway } = await stage.own(attack, { document: document(free, { guest: { security: "allowlist", ask: "off" } }) });
  const answers = await Promise.all(
    items.map(({ agent, argv }) => gateway.call("system.run", { argv, cwd: ground.tmp, agentId: text(agent) })),
  );
  return items.flatMap(({ agent }, index) => {
    const answer = answers[index];
    if (answer === undefined) return ["unanswered"];
    const outcome = outcomeOf(answer);
    if (agent === "guest") return complaints(attack, outcome, ground);
    return outcome.decision === "allow" ? [] : [`${shown(agent)} was refused what is its own: ${outcome.words}`];
  });
}

/** A token says for which host it was made: another one does not take it, though the command is the same. */
async function onOtherHost(attack: Attack, command: JsonObject, stage: Stage): Promise<Outcome> {
  const here = await stage.own(attack);
  const asked = await here.gateway.must("exec.approval.request", { ...command, twoPhase: true });
  const id = text(asked["id"]);
  await here.operator.must("exec.approval.resolve", { id, decision: "allow-once" });
  const { approvalToken } = await here.gateway.must("exec.approval.waitDecision", { id });
  const there: Scene = await stage.own({ ...attack, id: `${attack.id}-there` });
  return outcomeOf(await there.gateway.call("system.run", { ...command, approvalToken: text(approvalToken) }));
}

async function enteredBy(command: JsonObject, context: JsonObject, attack: Attack, stage: Stage): Promise<Outcome> {
  const { gateway } = await stage.own(attack, { document: document("nobody") });
  return outcomeOf(await gateway.call("system.run", { ...command, context }));
}

/** Whatever the entrance is called: every method that can start something asks the same judge, and every start has its record. */
async function everyEntrance(attack: Attack, command: JsonObject, path: string, ground: Ground, stage: Stage): Promise<readonly string[]> {
  const { gateway, operator } = await stage.own(attack, { document: document("nobody") });
  const attempts = [
    { ...command },
    { ...command, context: { channel: path } },
    { ...command, wait: true, approvalTimeoutMs: 1000 },
    { ...command, stream: true },
  ];
  const found: string[] = [];
  for (const params of attempts) found.push(...complaints(attack, outcomeOf(await gateway.call("system.run", params)), ground));
  const { records } = await operator.must("audit.tail", { limit: 100 });
  if (JSON.stringify(records).includes("run.starting")) found.push("something was started");
  return found;
}
