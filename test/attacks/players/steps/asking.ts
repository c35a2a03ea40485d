/** Putting questions: requests, with all that an agent may try to smuggle into one. */
import type { JsonObject } from "../../../../src/core/json.ts";
import { rawClient } from "../../../support/raw-client.ts";
import { isList, shown, text, texts } from "../../attack.ts";
import { outcomeOf, unfitWords } from "../../outcome.ts";
import { alternatives } from "../../placeholders.ts";
import { prepareOperands } from "./operands.ts";
import { type Asked, askedNow, type Play, type Step } from "./play.ts";

const APPROVAL_TIMEOUT_MIN_MS = 1000;
const PROMPTS_PER_MINUTE_MAX = 30;

/** More than the daemon puts before anybody in a minute. */
const FLOOD_MAX = 200;

export const request: Step = async (play, step) => {
  const times = step["count"] ?? step["times"];
  if (typeof times === "number") return flood(play, step, Math.min(times, FLOOD_MAX));
  const argv = step["argv"] === undefined ? ["/usr/bin/touch", play.ground.mark] : texts(step["argv"]);
  prepareOperands(argv, play.ground, "harmless");
  const agentId = step["agent"] === undefined ? play.agentId : text(step["agent"]);
  const params = { argv, cwd: play.ground.tmp, agentId };
  const each = alternatives(step["timeoutMs"]);
  if (each !== null) return refusesEach(play, params, each);
  const requestKey = step["id"] === undefined ? null : text(step["id"]);
  if (requestKey !== null) await refusesOwnId(play, params, requestKey);

  const { gateway } = play.scene;
  const answer = await gateway.call("exec.approval.request", { ...params, ...options(step, requestKey), twoPhase: true });
  play.last = outcomeOf(answer);
  play.found.push(...unfitWords(play.last));
  const earlier =
    requestKey === null ? undefined : play.asked.find((one) => one.requestKey === requestKey && one.params.agentId === agentId);
  if (earlier !== undefined) return again(play, earlier, argv, answer.ok ? answer.result["id"] : null, play.last.code);
  if (!answer.ok) return;
  const { id, status, decision, reason } = answer.result;
  if (decision === "not-needed") return;
  if (typeof id !== "string") throw new Error(`a request without an id: ${JSON.stringify(answer.result)}`);
  if (requestKey === id) play.found.push("an id that the client chose was taken");
  if (status === "expired" && reason !== "approval.no-route") play.found.push(`expired at once as ${shown(reason)}`);
  const { approvalTimeoutMs } = options(step, requestKey);
  const asked = askedNow(id, requestKey, params, typeof approvalTimeoutMs === "number" ? approvalTimeoutMs : undefined);
  if (status === "expired") asked.state = "expired";
  play.asked.push(asked);
};

/** Whoever floods is told so, and nobody is asked more often than a person can bear. */
async function flood(play: Play, step: JsonObject, times: number): Promise<void> {
  const { count: _count, times: _times, ...one } = step;
  const before = play.asked.length;
  for (let index = 0; index < times; index += 1) await request(play, one);
  const asked = play.asked.length - before;
  if (times > PROMPTS_PER_MINUTE_MAX && asked > PROMPTS_PER_MINUTE_MAX) play.found.push(`${asked} questions were put in one go`);
}

function options(step: JsonObject, requestKey: string | null): JsonObject {
  const { timeoutMs } = step;
  return {
    ...(requestKey === null ? {} : { requestKey }),
    // The protocol asks for at least a second; the corpus knows shorter ones.
    ...(typeof timeoutMs === "number" ? { approvalTimeoutMs: Math.max(timeoutMs, APPROVAL_TIMEOUT_MIN_MS) } : {}),
  };
}

/** The same key for the same thing is the same question; for another thing it is a conflict, and the first one stays as it is. */
function again(play: Play, earlier: Asked, argv: readonly string[], id: unknown, code: string | null): void {
  const same = JSON.stringify(earlier.params.argv) === JSON.stringify(argv);
  if (same && id !== earlier.id) play.found.push(`the same request got ${shown(id ?? code)} and not its first id`);
  if (!same && code !== "approval.id-conflict") play.found.push(`a used key for another command came out as ${shown(id ?? code)}`);
}

/** Ids are the daemon's to give: one that comes with the request is refused as a member that nobody knows. */
async function refusesOwnId(play: Play, params: JsonObject, id: string): Promise<void> {
  const answer = await play.scene.gateway.call("exec.approval.request", { ...params, id, twoPhase: true });
  if (answer.ok || answer.code !== "wire.unknown-field") play.found.push(`an id in a request came out as ${outcomeOf(answer).words}`);
}

/** Values that JSON has no way to write go out as they stand; the daemon must refuse the frame or the value. */
async function refusesEach(play: Play, params: JsonObject, values: readonly string[]): Promise<void> {
  const client = await rawClient(play.scene.daemon.socketPath);
  await client.authenticate(play.scene.daemon.gatewayToken);
  const whole = JSON.stringify({
    jsonrpc: "2.0",
    id: 7,
    method: "exec.approval.request",
    params: { ...params, twoPhase: true, approvalTimeoutMs: "?" },
  });
  for (const value of values) {
    client.send(`${whole.replace('"?"', value)}\n`);
    const frame = await client.next();
    const error = JSON.stringify(frame?.["error"]);
    if (!/"code":"wire\.(bad-json|invalid-params)"/.test(error))
      play.found.push(`a timeout of ${value} came out as ${JSON.stringify(frame)}`);
  }
  client.close();
}

/** A list, complete: what is pending is there, and nothing that is not. */
export const list: Step = async (play) => {
  const { approvals } = await play.scene.operator.must("exec.approval.list", { state: "pending", limit: 500 });
  const listed = isList(approvals)
    ? approvals.flatMap((one) => (typeof one === "object" && one !== null && !isList(one) ? [one["id"]] : []))
    : [];
  for (const asked of play.asked) {
    if (listed.includes(asked.id) !== (asked.state === "pending"))
      play.found.push(`approval ${asked.id} is ${asked.state} and the list disagrees`);
  }
};

/** A requester who waits gets a definite answer. */
export const wait: Step = async (play) => {
  const asked = play.asked.at(-1);
  if (asked === undefined) return;
  const answer = await play.scene.gateway.call("exec.approval.waitDecision", { id: asked.id });
  play.last = outcomeOf(answer);
};
