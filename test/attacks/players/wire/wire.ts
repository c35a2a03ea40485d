/** What arrives at the socket, from bytes that are no frame to credentials that are none. */
import { spawnSync } from "node:child_process";
import { isJsonObject, type JsonObject } from "../../../../src/core/json.ts";
import { startTestDaemon } from "../../../support/daemon.ts";
import { rawClient } from "../../../support/raw-client.ts";
import { tryStart } from "../../../support/try-start.ts";
import { AS_NOBODY } from "../../../support/unprivileged.ts";
import { type Attack, count, isList, object, shown, text, texts } from "../../attack.ts";
import type { Ground } from "../../ground.ts";
import { outcomeOf } from "../../outcome.ts";
import { filled, type Names } from "../../placeholders.ts";
import type { Player } from "../../player.ts";
import { type Scene, type Stage, sceneOf } from "../../stage.ts";
import { playFs } from "../fs.ts";
import { afterAuthentication, exchange, unfitAnswer } from "./exchange.ts";
import { descriptors, generated, guesses, idle, slowly } from "./floods.ts";
import { probe } from "./probes.ts";
import { witnessed } from "./witness.ts";

export const playWire: Player = async (attack, ground, stage) => {
  if (attack.given["fs"] !== undefined) return playFs(attack, ground, stage);
  if (Object.hasOwn(attack.given, "store")) return withStore(attack, ground, stage);
  const scene = await stage.abused();
  const given = filled(attack.given, namesFor(scene, ground));
  const found = await witnessed(scene, () => playShape(attack, given, scene, ground, stage));
  return ground.marked() ? [...found, "the marker is there"] : found;
};

function namesFor({ daemon }: Pick<Scene, "daemon">, ground: Ground): Names {
  return {
    ...ground.names,
    STATE: daemon.stateDir,
    SOCK: daemon.socketPath,
    TOKEN: daemon.gatewayToken,
    DAEMON_PID: shown(daemon.process.pid),
    CLIENT_PID: shown(process.pid),
  };
}

async function playShape(attack: Attack, given: JsonObject, scene: Scene, ground: Ground, stage: Stage): Promise<readonly string[]> {
  switch (Object.keys(given).sort().join(" ")) {
    case "wire":
      return frame(scene, isList(given["wire"]) ? texts(given["wire"]).join("") : text(given["wire"]));
    case "shutdownWrite wire":
      return frame(scene, text(given["wire"]), true);
    case "connections wire":
      return guesses(scene, text(given["wire"]), count(given["connections"]));
    case "asUser wire":
      return byAnother(scene, text(given["asUser"]), text(given["wire"]));
    case "wireHex":
      return bytes(scene, Buffer.from(text(given["wireHex"]), "hex"));
    case "wireGenerate":
      return generated(scene, object(given["wireGenerate"]));
    case "slow": {
      const { connections, bytesPerSecond } = object(given["slow"]);
      return slowly(scene, count(connections), count(bytesPerSecond));
    }
    case "connections idle":
      return idle(scene, count(given["connections"]));
    case "scmRights":
      return descriptors(scene, count(given["scmRights"]));
    case "argvCount":
      return refusedCall(scene, { argv: Array.from({ length: count(given["argvCount"]) }, () => "a") });
    case "argvElementBytes":
      return refusedCall(scene, { argv: ["/usr/bin/true", "a".repeat(count(given["argvElementBytes"]))] });
    case "argv policy":
      return quickly(attack, texts(given["argv"]), ground, stage);
    case "probe":
      return probe(scene, text(given["probe"]));
    case "run":
      return secretsIn(scene, texts(given["run"]), ground);
    default:
      throw new Error(`nothing here plays \`${Object.keys(given).join("`, `")}\``);
  }
}

/** As it stands, before and after authentication; and its credential, if it carries one, in the native form. */
async function frame(scene: Scene, wire: string, halfClose = false): Promise<readonly string[]> {
  const before = await exchange(scene.daemon.socketPath, wire, halfClose);
  const found = [...unfitAnswer(scene, before)];
  if (!before.closed) found.push("it stays open");
  if (wire.endsWith("\n")) found.push(...(await afterAuthentication(scene, wire)));
  const parsed = parse(wire);
  if (isJsonObject(parsed) && Object.hasOwn(parsed, "token") && parsed["token"] !== scene.daemon.gatewayToken) {
    const line = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "authenticate", params: { token: parsed["token"] } })}\n`;
    const native = await exchange(scene.daemon.socketPath, line);
    found.push(...unfitAnswer(scene, native));
    if (!/"code":"(auth\.failed|wire\.invalid-params)"/.test(native.said) || !native.closed)
      found.push(`its token came out as ${JSON.stringify(native)}`);
  }
  if (isJsonObject(parsed) && shown(parsed["type"]).endsWith("approvals.get")) found.push(...(await redacted(scene)));
  return found;
}

function parse(wire: string): unknown {
  try {
    return JSON.parse(wire);
  } catch {
    return null;
  }
}

async function redacted(scene: Scene): Promise<readonly string[]> {
  const shown = JSON.stringify(await scene.gateway.must("exec.approvals.get"));
  return [scene.daemon.gatewayToken, scene.daemon.operatorToken].some((secret) => shown.includes(secret))
    ? ["the document shows a token"]
    : [];
}

async function bytes(scene: Scene, sent: Buffer): Promise<readonly string[]> {
  const before = await exchange(scene.daemon.socketPath, sent);
  return [
    ...unfitAnswer(scene, before),
    ...(before.closed && /"code":"(wire|auth)\.[a-z0-9-]+"/.test(before.said) ? [] : [`before authentication: ${JSON.stringify(before)}`]),
    ...(await afterAuthentication(scene, sent)),
  ];
}

async function refusedCall(scene: Scene, params: JsonObject): Promise<readonly string[]> {
  const client = await rawClient(scene.daemon.socketPath);
  await client.authenticate(scene.daemon.gatewayToken);
  client.call(1, "system.run", params);
  const answer = JSON.stringify(await client.next());
  client.close();
  return /"code":"(wire\.(invalid-params|line-too-long)|display\.too-long)"/.test(answer) ? [] : [`it came out as ${answer.slice(0, 300)}`];
}

const JUDGED_WITHIN_MS = 50;

/** A pattern that would explode is judged as quickly as any other. */
async function quickly(attack: Attack, argv: readonly string[], ground: Ground, stage: Stage): Promise<readonly string[]> {
  const { gateway } = await stage.shared();
  const begun = performance.now();
  const outcome = outcomeOf(await gateway.call("system.run", { argv, cwd: ground.tmp, agentId: stage.agentOf(attack) }));
  const tookMs = performance.now() - begun;
  return [...(outcome.decision === "allow" ? ["it ran"] : []), ...(tookMs > JUDGED_WITHIN_MS ? [`it took ${Math.round(tookMs)} ms`] : [])];
}

/** Whoever else is on this machine does not even get to the socket. */
async function byAnother({ daemon }: Scene, user: string, wire: string): Promise<readonly string[]> {
  if (user !== "nobody") throw new Error(`nothing here becomes ${user}`);
  const program = `const s=require("net").connect(process.argv[1]);s.on("connect",()=>{s.write(process.argv[2]);console.log("connected")});s.on("error",e=>console.log(e.code));setTimeout(()=>process.exit(),500)`;
  const { stdout } = spawnSync("setpriv", [...AS_NOBODY, process.execPath, "-e", program, daemon.socketPath, wire], { encoding: "utf8" });
  return /^(EACCES|EPERM)/.test(stdout) ? [] : [`another user got: ${stdout}`];
}

/** What a command can learn from its own environment. */
async function secretsIn(scene: Scene, argv: readonly string[], ground: Ground): Promise<readonly string[]> {
  const daemon = await startTestDaemon({ document: { version: 1, defaults: { security: "full", ask: "off" } } });
  try {
    const { gateway } = await sceneOf(daemon, false);
    const ran = await gateway.must("system.run", { argv, cwd: ground.tmp });
    const output = `${shown(ran["stdout"])}${shown(ran["stderr"])}`;
    const secrets = [daemon.gatewayToken, daemon.operatorToken, daemon.socketPath, daemon.stateDir];
    return [
      ...(output === "" ? ["nothing was shown"] : []),
      ...secrets.flatMap((secret) => (output.includes(secret) ? [`the output holds ${secret}`] : [])),
    ];
  } finally {
    await daemon.stop();
    void scene;
  }
}

/** A document that comes without a usable token: nobody is let in on the strength of that. */
async function withStore(attack: Attack, ground: Ground, stage: Stage): Promise<readonly string[]> {
  const { store } = attack.given;
  const stateDir = stage.stateDirOf(attack);
  const start = await tryStart({ stateDir, ...(store === null ? {} : { document: { version: 1, ...object(store) } }) });
  if (!("running" in start)) return start.exitCode === 78 ? [] : [`it ended with ${start.exitCode}: ${start.log}`];
  try {
    const scene = await sceneOf(start.running, false);
    const weak = start.running.gatewayToken.length < 32 ? [`the token is \`${start.running.gatewayToken}\``] : [];
    const given = filled(attack.given, namesFor(scene, ground));
    const found = await frame(scene, text(given["wire"]));
    scene.leave();
    return [...weak, ...found, ...(ground.marked() ? ["the marker is there"] : [])];
  } finally {
    await start.running.stop();
  }
}
