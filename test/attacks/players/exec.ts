/** Commands that are allowed and behave badly: they outlive their time, flood, or look around for what is not theirs. */
import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import { memoryOf, until, workingIn } from "../../support/processes.ts";
import { rawClient } from "../../support/raw-client.ts";
import { type Attack, count, object, shown, text, texts } from "../attack.ts";
import { type Ground, plantAll } from "../ground.ts";
import { outcomeOf } from "../outcome.ts";
import { filled } from "../placeholders.ts";
import type { Player } from "../player.ts";
import type { Scene, Stage } from "../stage.ts";

const PLAYED = new Set(["command", "argv", "timeoutMs", "limits", "cancelAfterMs", "disconnectAfterMs", "files", "stdin", "env"]);
const GONE_WITHIN_MS = 2000;
const RESIDENT_BYTES_MAX = 150 * 1024 * 1024;
const CANCELLED_WITHIN_MS = 1000;

export const playExec: Player = async (attack, ground, stage) => {
  const given = filled(attack.given, ground.names);
  const unknown = Object.keys(given).filter((name) => !PLAYED.has(name));
  if (unknown.length > 0) throw new Error(`nothing here plays \`${unknown.join("`, `")}\``);
  plantAll(given["files"], ground);
  const scene = await sceneFor(attack, given, stage);
  const { timeoutMs, stdin, env } = given;
  const what = given["argv"] === undefined ? { command: text(given["command"]) } : { argv: texts(given["argv"]) };
  const more = { ...(stdin === undefined ? {} : { stdin }), ...(env === undefined ? {} : { env }) };
  const params = { ...what, ...more, cwd: ground.tmp, agentId: stage.agentOf(attack), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  const setId = given["argv"] === undefined ? null : setIdProgram(texts(given["argv"])[0] ?? "");
  if (setId !== null) return setIdComplaints(scene, params, setId);

  const begun = performance.now();
  if (given["disconnectAfterMs"] !== undefined) return hangUp(scene, params, count(given["disconnectAfterMs"]), ground);
  const ended = await runToItsEnd(scene, params, given["cancelAfterMs"]);
  const tookMs = performance.now() - begun;
  return [
    ...(await leftBehind(ground, ended.result)),
    ...timeComplaints(given, tookMs, ended),
    ...(memoryOf(scene.daemon.process.pid ?? 0, "VmHWM") > RESIDENT_BYTES_MAX ? ["the daemon grew beyond 150 MB"] : []),
    ...(ground.marked() ? ["the marker is there"] : []),
    ...outputComplaints(given, ended),
  ];
};

/** A daemon that allows everything: what is looked at is what becomes of a command once it runs. */
async function sceneFor(attack: Attack, given: JsonObject, stage: Stage): Promise<Scene> {
  const limits = given["limits"] === undefined ? {} : { tools: { exec: object(given["limits"]) } };
  const setId = given["argv"] === undefined ? null : setIdProgram(texts(given["argv"])[0] ?? "");
  const listed = { security: "allowlist", ask: "off", allowlist: setId === null ? [] : [setId] };
  const document = { version: 1, agents: { [stage.agentOf(attack)]: setId === null ? { security: "full", ask: "off" } : listed } };
  return stage.own(attack, { document, settings: limits });
}

interface Ended {
  readonly result: JsonObject | null;
  readonly refusal: string | null;
  readonly output: Buffer;
  readonly cancelTookMs: number | null;
}

async function runToItsEnd(scene: Scene, params: JsonObject, cancelAfterMs: JsonObject[string]): Promise<Ended> {
  const stopper = new AbortController();
  const run = scene.gateway.client.run(params, stopper.signal);
  const output: Buffer[] = [];
  let cancelledAt: number | null = null;
  const reading = (async () => {
    for await (const { stream, bytes } of run) if (stream === "stdout") output.push(keep(bytes, output));
  })().catch(() => {});
  if (cancelAfterMs !== undefined) {
    await sleep(count(cancelAfterMs));
    cancelledAt = performance.now();
    stopper.abort();
  }
  try {
    const result: unknown = await run.result;
    const cancelTookMs = cancelledAt === null ? null : performance.now() - cancelledAt;
    await reading;
    return { result: isJsonObject(result) ? result : null, refusal: null, output: Buffer.concat(output), cancelTookMs };
  } catch (error) {
    const { words } = outcomeOf({ ok: false, code: codeOf(error), message: shown(error), data: {} });
    return {
      result: null,
      refusal: words,
      output: Buffer.concat(output),
      cancelTookMs: cancelledAt === null ? null : performance.now() - cancelledAt,
    };
  }
}

/** Nobody is left to hear the answer: then nothing is left to give it either. */
async function hangUp(scene: Scene, params: JsonObject, afterMs: number, ground: Ground): Promise<readonly string[]> {
  const client = await rawClient(scene.daemon.socketPath);
  await client.authenticate(scene.daemon.gatewayToken);
  client.call(1, "system.run", params);
  await sleep(afterMs);
  client.close();
  return leftBehind(ground, null);
}

/** A flood is counted and not collected. */
const COLLECTED_BYTES_MAX = 1024 * 1024;
function keep(bytes: Buffer, output: readonly Buffer[]): Buffer {
  return output.reduce((sum, one) => sum + one.length, 0) < COLLECTED_BYTES_MAX ? bytes : Buffer.alloc(0);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? shown(error.code) : "internal";
}

/** No process of the run is left, but those that the answer names as beyond reach. */
async function leftBehind(ground: Ground, result: JsonObject | null): Promise<readonly string[]> {
  const escaped = JSON.stringify(result?.["escaped"] ?? []);
  const gone = await until(() => workingIn(ground.tmp).every((pid) => escaped.includes(`"pid":${pid}`)), GONE_WITHIN_MS);
  return gone ? [] : [`still there: ${workingIn(ground.tmp).join(", ")}`];
}

function timeComplaints({ timeoutMs }: JsonObject, tookMs: number, { result, cancelTookMs }: Ended): readonly string[] {
  const found: string[] = [];
  if (timeoutMs !== undefined && tookMs > count(timeoutMs) + GONE_WITHIN_MS) found.push(`it took ${Math.round(tookMs)} ms`);
  if (cancelTookMs !== null && cancelTookMs > CANCELLED_WITHIN_MS) found.push(`the cancel took ${Math.round(cancelTookMs)} ms`);
  if (timeoutMs !== undefined && tookMs > count(timeoutMs) && result?.["timedOut"] !== true) found.push("nothing says that it timed out");
  return found;
}

/** What a command could see and say, read from its own output. */
function outputComplaints(given: JsonObject, { result, refusal, output }: Ended): readonly string[] {
  const command = given["command"] === undefined ? texts(given["argv"]).join(" ") : text(given["command"]);
  const printed = output.toString("latin1");
  const { limits } = given;
  if (isJsonObject(limits) && limits["maxOutputBytes"] !== undefined) {
    const most = count(limits["maxOutputBytes"]);
    const { stdout, stdoutTruncated } = result ?? {};
    if (stdoutTruncated !== true || Buffer.byteLength(shown(stdout)) > most)
      return [`${refusal ?? "the flood was not cut"}, or nothing says so`];
  }
  const random = /head -c (\d+) \/dev\/urandom/.exec(command);
  if (random !== null && output.length !== Number(random[1])) return [`${output.length} of ${random[1]} bytes arrived`];
  if (/\/proc\/self\/fd/.test(command) && refusal === null) {
    const open = [...printed.matchAll(/ (\d+) -> (.*)$/gm)].filter(([, fd, to = ""]) => Number(fd) > 2 && !/^\/proc\/\d+\/fd$/.test(to));
    if (open.length > 0) return [`descriptors of the daemon's were passed on: ${open.map(([row]) => row).join(";")}`];
  }
  if (/TIOCSTI/.test(command) && result?.["exitCode"] === 0) return ["it could type into a terminal"];
  if (/NoNewPrivs/.test(command) && refusal === null && !/NoNewPrivs:\s*1/.test(printed))
    return [`privileges can still be raised: ${printed}`];
  if (/^\S*\bcat$/.test(command) && output.length > 0) return ["it read from somebody's standard input"];
  return [];
}

/** The path of a program that runs with another's rights, where it is installed. */
function setIdProgram(command: string): string | null {
  const found = command.startsWith("/") ? statSync(command, { throwIfNoEntry: false }) : undefined;
  return found !== undefined && (found.mode & 0o6000) !== 0 ? command : null;
}

/** Listed or not, it is put before a person, who is told what it is. */
async function setIdComplaints(scene: Scene, params: JsonObject, program: string): Promise<readonly string[]> {
  const { decision, display } = await scene.gateway.must("system.run.prepare", params);
  const { outcome } = object(decision);
  const said = JSON.stringify([decision, display]);
  return [
    ...(outcome === "allow" ? [`${program} would be run without asking`] : []),
    ...(/set-?(user|group)?-?id|setuid|setgid/i.test(said) ? [] : [`nothing says that ${program} is set-id: ${said}`]),
  ];
}
