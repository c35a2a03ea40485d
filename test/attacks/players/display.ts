/** What a person is shown: pure printable text from which exactly the argv that will run can be read back. */
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../src/core/json.ts";
import { countersign } from "../../support/countersign.ts";
import { wordsOf } from "../../support/shown-words.ts";
import { count, isList, object, shown, text, texts } from "../attack.ts";
import type { Ground } from "../ground.ts";
import { outcomeOf } from "../outcome.ts";
import { filled } from "../placeholders.ts";
import type { Player } from "../player.ts";
import type { Scene } from "../stage.ts";

const PLAYED = new Set(["argv", "surfaces", "rationale", "swapAfterMs", "cwd", "env", "sessionKey", "agentId"]);
/** Controls, formats, private use, separators, and what has no ink; written down here apart from the program's own list. */
const UNSEEN =
  /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800]/u;
const MARK_FLOOD = /\p{M}{5,}/u;
const LOOKALIKE = /[\u2010-\u2015\u2212\uff01-\uff5e]/u;

export const playDisplay: Player = async (attack, ground, stage) => {
  const given = filled(attack.given, ground.names);
  const unknown = Object.keys(given).filter((name) => !PLAYED.has(name));
  if (unknown.length > 0) throw new Error(`nothing here plays \`${unknown.join("`, `")}\``);
  const scene = await stage.shared();
  const argv = texts(given["argv"]);
  // Every surface, whatever its markup, shows these words: what it must escape beside them is its own.
  const params = { argv, cwd: ground.tmp, agentId: stage.agentOf(attack), ...around(given, ground) };
  const asked = await scene.gateway.call("exec.approval.request", { ...params, twoPhase: true });
  // What cannot be shown in full cannot be approved.
  if (!asked.ok)
    return ["display.too-long", "wire.bad-utf8", "wire.invalid-params", "env.invalid", "env.forbidden"].includes(asked.code)
      ? []
      : [`not even asked: ${asked.code}: ${asked.message}`];
  const id = text(asked.result["id"]);
  const { display } = await scene.operator.must("exec.approval.get", { id });
  return [
    ...promptComplaints(object(display), argv),
    ...(await terminalComplaints(scene, id, object(display))),
    ...(given["rationale"] === undefined ? [] : await wordsOfTheAgent(scene, params, text(given["rationale"]))),
    ...(given["swapAfterMs"] === undefined ? [] : await swapped(scene, params, id, count(given["swapAfterMs"]))),
  ];
};

/** A prompt names more than the command, and all of it is chosen by whoever asks. */
function around({ cwd, env, sessionKey, agentId }: JsonObject, ground: Ground): JsonObject {
  if (typeof cwd === "string" && cwd.startsWith(ground.tmp)) mkdirSync(cwd, { recursive: true });
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(sessionKey === undefined ? {} : { sessionKey }),
    ...(agentId === undefined ? {} : { agentId }),
  };
}

function promptComplaints(display: JsonObject, argv: readonly string[]): readonly string[] {
  const { warnings } = display;
  const command = text(display["command"]);
  const found: string[] = [];
  const raw = UNSEEN.exec(command) ?? MARK_FLOOD.exec(command);
  if (raw !== null) found.push(`the prompt carries U+${raw[0].codePointAt(0)?.toString(16)} as it is`);
  if (JSON.stringify(wordsOf(command)) !== JSON.stringify(argv)) found.push(`the prompt reads back as ${JSON.stringify(wordsOf(command))}`);
  if (texts(display["words"]).join(" ") !== command) found.push("the words are not the command");
  const needsWarning = argv.some((word) => UNSEEN.test(word) || LOOKALIKE.test(word));
  if (needsWarning && (!isList(warnings) || warnings.length === 0)) found.push("nothing warns of what does not show");
  return found;
}

const FOLDED_AT = 40;

/** The same on a terminal: nothing raw but line breaks of our own, and short words stand there as they are. */
async function terminalComplaints(scene: Scene, id: string, display: JsonObject): Promise<readonly string[]> {
  const { stdout, stderr, exitCode } = await countersign(["pending", "--state-dir", scene.daemon.stateDir]);
  if (exitCode !== 0) return [`\`countersign pending\` ended with ${exitCode}: ${stderr}`];
  const found: string[] = [];
  const raw = UNSEEN.exec(stdout.replaceAll("\n", "")) ?? MARK_FLOOD.exec(stdout);
  if (raw !== null) found.push(`the terminal gets U+${raw[0].codePointAt(0)?.toString(16)} as it is`);
  if (!stdout.includes(id.slice(0, 8))) found.push("the terminal does not show this approval");
  const missing = texts(display["words"]).find((word) => word.length < FOLDED_AT && !stdout.includes(word));
  return missing === undefined ? found : [...found, `the terminal does not show ${missing}`];
}

/** There is no member in which an agent could speak to the person who decides. */
async function wordsOfTheAgent(scene: Scene, params: JsonObject, rationale: string): Promise<readonly string[]> {
  const outcome = outcomeOf(await scene.gateway.call("exec.approval.request", { ...params, rationale, twoPhase: true }));
  return outcome.code === "wire.unknown-field" ? [] : [`a rationale came out as ${outcome.words}`];
}

/** An answer goes to the one that was shown, whatever has arrived since. */
async function swapped(scene: Scene, params: JsonObject, id: string, afterMs: number): Promise<readonly string[]> {
  await sleep(afterMs);
  const later = await scene.gateway.must("exec.approval.request", { ...params, argv: ["/usr/bin/true", "later"], twoPhase: true });
  await scene.operator.must("exec.approval.resolve", { id, decision: "allow-once" });
  const { state } = await scene.operator.must("exec.approval.get", { id: text(later["id"]) });
  return state === "pending" ? [] : [`the answer went to the later one as well: ${shown(state)}`];
}
