/** Answering questions, rightly and wrongly. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../src/core/json.ts";
import type { Answer } from "../../../support/session.ts";
import { shown } from "../../attack.ts";
import { outcomeOf, unfitWords } from "../../outcome.ts";
import { request } from "./asking.ts";
import { type Asked, checkStates, decide, latest, letTimePass, type Play, type Step } from "./play.ts";

const ID_CHARS = 36;
const PREFIX_CHARS_MIN = 8;
const STATES: Readonly<Record<string, Asked["state"]>> = { "allow-once": "allowed", "allow-always": "allowed", deny: "denied" };

export const resolve: Step = async (play, step) => {
  const { decision, concurrentWith } = step;
  const id = step["id"] ?? latest(play)?.id ?? "";
  const isOperator = step["role"] === undefined || step["role"] === "operator";
  if (!isOperator || step["approver"] !== undefined) return refusesStranger(play, id, decision, step);
  if (isJsonObject(concurrentWith)) return race(play, id, [decision, concurrentWith["decision"]]);
  letTimePass(play);
  const meant = meantBy(play, id);
  const answer = await play.scene.operator.call("exec.approval.resolve", { id, decision });
  const outcome = outcomeOf(answer);
  play.found.push(...unfitWords(outcome));
  const state = typeof decision === "string" ? STATES[decision] : undefined;
  if (meant === null || state === undefined || meant.state !== "pending") {
    // The same answer once more changes nothing, and is no mistake.
    if (answer.ok && (meant === null || meant.decision !== decision))
      play.found.push(`\`${shown(id)}\` was resolved as ${JSON.stringify(decision)}`);
    return checkStates(play);
  }
  if (answer.ok) decide(meant, state, shown(decision));
  // An answer that comes too late is refused, and the approval has expired.
  else if (outcome.code === "approval.expired") meant.state = "expired";
  else play.found.push(`a proper answer was refused: ${outcome.words}`);
  if (decision === "allow-always") await checkStored(play);
};

/** Which approval the protocol lets this text name: the whole id, or a long enough prefix of exactly one that is pending. */
function meantBy({ asked }: Play, id: JsonValue): Asked | null {
  if (typeof id !== "string" || id.length < PREFIX_CHARS_MIN) return null;
  if (id.length === ID_CHARS) return asked.find((one) => one.id === id) ?? null;
  const [one, another] = asked.filter((each) => each.state === "pending" && each.id.startsWith(id));
  return another === undefined ? (one ?? null) : null;
}

/** Only the operator's credential answers: a gateway may not, and no name that somebody gives himself is looked at. */
async function refusesStranger(play: Play, id: JsonValue, decision: JsonValue | undefined, step: JsonObject): Promise<void> {
  const { role, approver } = step;
  const attempts: readonly Answer[] = [
    await play.scene.gateway.call("exec.approval.resolve", { id, decision }),
    await play.scene.gateway.call("exec.approval.resolve", {
      id,
      decision,
      ...(role === undefined ? {} : { role }),
      ...(approver === undefined ? {} : { approver }),
    }),
  ];
  for (const answer of attempts) if (answer.ok) play.found.push(`resolved by ${JSON.stringify(step)}`);
  await checkStates(play);
}

/** Two answers at once: one is the first, the other is told so, and what stands is the first one. */
async function race(play: Play, id: JsonValue, decisions: readonly (JsonValue | undefined)[]): Promise<void> {
  const asked = meantBy(play, id);
  const answers = await Promise.all(decisions.map((decision) => play.scene.operator.call("exec.approval.resolve", { id, decision })));
  const won = decisions.filter((_, index) => answers[index]?.ok === true);
  const [winner] = won;
  if (won.length !== 1 || typeof winner !== "string") return void play.found.push(`${won.length} of ${decisions.length} answers won`);
  for (const answer of answers) {
    if (!answer.ok && answer.code !== "approval.already-resolved") play.found.push(`the other answer got ${answer.code}`);
  }
  if (asked !== null) decide(asked, STATES[winner] ?? asked.state, winner);
}

/** What is shown is approved, and nothing that came after. */
export const approveAll: Step = async (play, step) => {
  const visible = play.asked.filter(({ state }) => state === "pending");
  if (step["shown"] !== undefined && step["shown"] !== visible.length)
    throw new Error(`${visible.length} are pending, not ${shown(step["shown"])}`);
  const arriving = play.arriving === null ? Promise.resolve() : request(play, play.arriving);
  play.arriving = null;
  for (const asked of visible) {
    await play.scene.operator.must("exec.approval.resolve", { id: asked.id, decision: "allow-once" });
    decide(asked, "allowed", "allow-once");
  }
  await arriving;
  await checkStates(play);
};

export const cancel: Step = async (play) => {
  const asked = latest(play);
  if (asked === null) return;
  const answer = await play.scene.gateway.call("exec.approval.cancel", { id: asked.id });
  if (answer.ok) asked.state = "cancelled";
};

/** Programs that start others: an entry that names one of them and nothing else would allow everything. */
const CARRIERS =
  /(^|\/)(ba|da|z|k|fi|c|tc|mk)?sh$|(^|\/)(env|nice|nohup|timeout|stdbuf|time|flock|setsid|xargs|find|busybox|toybox|sudo|doas|su|ssh|npx|npm|pnpm|yarn|bunx|make|python[\d.]*|node|deno|bun|perl|ruby|php|lua|awk|sed)$/;

async function checkStored(play: Play): Promise<void> {
  const { grants } = await play.scene.operator.must("exec.grants.list", { agentId: play.agentId });
  for (const grant of Array.isArray(grants) ? grants.filter(isJsonObject) : []) {
    const { pattern, argPattern } = grant;
    if (typeof pattern === "string" && CARRIERS.test(pattern) && (argPattern === null || argPattern === undefined)) {
      play.found.push(`the stored entry is \`${pattern}\` and would cover whatever it starts`);
    }
  }
}
