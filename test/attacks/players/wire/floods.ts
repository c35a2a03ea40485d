/** Too much of everything: bytes, depth, frames, connections, descriptors. */
import { createConnection, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../../src/core/json.ts";
import { CLOSING_LINGER_MS, LINE_BYTES_MAX } from "../../../../src/core/limits.ts";
import { passDescriptors } from "../../../support/pass-descriptors.ts";
import { descriptorsOf, until } from "../../../support/processes.ts";
import { rawClient } from "../../../support/raw-client.ts";
import { count, isList, object, text } from "../../attack.ts";
import type { Scene } from "../../stage.ts";
import { afterAuthentication, exchange, unfitAnswer } from "./exchange.ts";

export async function generated(scene: Scene, how: JsonObject): Promise<readonly string[]> {
  if (isList(how["frameBytes"])) return atTheCap(scene);
  if (how["open"] !== undefined) return deep(scene, text(how["open"]), count(how["count"]));
  if (how["frames"] !== undefined) return many(scene, count(how["frames"]));
  if (how["byte"] !== undefined) return repeated(scene, text(how["byte"]), count(how["count"]));
  throw new Error(`nothing here generates ${JSON.stringify(how)}`);
}

/** A line of exactly the limit is read; one byte more ends the connection. */
async function atTheCap(scene: Scene): Promise<readonly string[]> {
  const frame = (id: number, bytes: number): string => {
    const bare = `{"jsonrpc":"2.0","id":${id},"method":"system.which","params":{"names":["ls"]}`;
    return `${bare}${" ".repeat(bytes - bare.length - 1)}}\n`;
  };
  const client = await rawClient(scene.daemon.socketPath);
  await client.authenticate(scene.daemon.gatewayToken);
  client.send(frame(1, LINE_BYTES_MAX));
  const answered = await client.answer(1);
  client.send(frame(2, LINE_BYTES_MAX + 1));
  const refused = await client.next();
  const closed = (await client.next()) === null;
  client.close();
  return [
    ...(answered?.["result"] === undefined ? [`at the cap: ${JSON.stringify(answered)}`] : []),
    ...(JSON.stringify(refused).includes("wire.line-too-long") && closed
      ? []
      : [`beyond the cap: ${JSON.stringify(refused)}, ${closed ? "closed" : "open"}`]),
  ];
}

async function deep(scene: Scene, open: string, depth: number): Promise<readonly string[]> {
  const bare = await exchange(scene.daemon.socketPath, `${open.repeat(depth)}\n`);
  const close = open === "[" ? "]" : open.includes("{") ? "}" : "";
  const inside = `{"jsonrpc":"2.0","id":1,"method":"status","params":{"x":${open.repeat(depth)}${close.repeat(depth)}}}\n`;
  return [...unfitAnswer(scene, bare), ...(bare.closed ? [] : ["it stays open"]), ...(await afterAuthentication(scene, inside))];
}

/** Each is answered, in the order of asking, or told that it was too much. */
async function many(scene: Scene, frames: number): Promise<readonly string[]> {
  const client = await rawClient(scene.daemon.socketPath);
  await client.authenticate(scene.daemon.gatewayToken);
  for (let id = 0; id < frames; id += 1) client.call(id, "status");
  let last = -1;
  let answered = 0;
  for (let frame = await client.next(); frame !== null; frame = await client.next()) {
    answered += 1;
    const { id, result } = frame;
    if (result !== undefined && typeof id === "number") {
      if (id < last) return [`${id} was answered after ${last}`];
      last = id;
    }
    if (answered === frames) break;
  }
  client.close();
  return answered === frames || answered > 0 ? [] : ["nothing was answered"];
}

async function repeated(scene: Scene, byte: string, times: number): Promise<readonly string[]> {
  const bytes = Buffer.alloc(times, byte);
  const before = await exchange(scene.daemon.socketPath, bytes);
  const client = await rawClient(scene.daemon.socketPath);
  await client.authenticate(scene.daemon.gatewayToken);
  // Whoever does not read his errors is not read either.
  client.socket.pause();
  client.send(bytes);
  await sleep(2000);
  client.close();
  return [...unfitAnswer(scene, before), ...(before.closed ? [] : ["it stays open"])];
}

function open(socketPath: string, connections: number): readonly Socket[] {
  return Array.from({ length: connections }, () =>
    createConnection({ path: socketPath })
      .on("error", () => {})
      .resume(),
  );
}

const UNAUTHENTICATED_MAX = 64;
const AUTHENTICATE_WITHIN_MS = 15_000;

/** Whoever says nothing, or says it byte by byte, makes room for those who come after, and is gone after the deadline. */
export async function slowly(scene: Scene, connections: number, bytesPerSecond: number): Promise<readonly string[]> {
  const text = `{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"token":"x"}}\n`;
  const sockets = open(scene.daemon.socketPath, connections);
  let sent = 0;
  const dripping = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(text.charAt(sent));
    sent += 1;
  }, 1000 / bytesPerSecond);
  const alive = (): number => sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === "open").length;
  // Those who had to go may finish their sentence first.
  await sleep(CLOSING_LINGER_MS + 1500);
  const crowd = alive();
  await until(() => alive() === 0, AUTHENTICATE_WITHIN_MS + 1000);
  const left = alive();
  clearInterval(dripping);
  for (const socket of sockets) socket.destroy();
  return [
    ...(crowd > UNAUTHENTICATED_MAX ? [`${crowd} were kept at once`] : []),
    ...(left > 0 ? [`${left} are still there after the deadline`] : []),
  ];
}

export async function idle(scene: Scene, connections: number): Promise<readonly string[]> {
  const before = await openConnections(scene);
  const sockets = open(scene.daemon.socketPath, connections);
  await sleep(500);
  const held = (await openConnections(scene)) - before;
  for (const socket of sockets) socket.destroy();
  const given = await until(async () => (await openConnections(scene)) <= before + 2, 5000);
  return [
    ...(held > 2 * UNAUTHENTICATED_MAX + 16 ? [`${held} connections were held`] : []),
    ...(given ? [] : ["connections were not given back"]),
  ];
}

/** As the kernel counts them where it lets us, else as the daemon does. */
async function openConnections({ daemon, operator }: Scene): Promise<number> {
  const counted = descriptorsOf(daemon.process.pid ?? 0);
  if (counted !== null) return counted;
  const { counts } = await operator.must("status");
  const { connections } = object(counts);
  return Object.values(object(connections)).reduce<number>((sum, each) => sum + (typeof each === "number" ? each : 0), 0);
}

/** Descriptors that come along are nobody's: they are not kept. */
export async function descriptors(scene: Scene, howMany: number): Promise<readonly string[]> {
  const pid = scene.daemon.process.pid ?? 0;
  const before = descriptorsOf(pid);
  passDescriptors(scene.daemon.socketPath, howMany);
  await sleep(300);
  // Those of the connection itself go when the daemon comes to it.
  await until(() => before === null || (descriptorsOf(pid) ?? 0) <= before + 1, 3000);
  const after = descriptorsOf(pid);
  return before === null || after === null || after <= before + 1 ? [] : [`${after - before} descriptors were kept`];
}

export async function guesses(scene: Scene, wire: string, connections: number): Promise<readonly string[]> {
  const begun = performance.now();
  const answers = await Promise.all(Array.from({ length: connections }, () => exchange(scene.daemon.socketPath, wire)));
  const tookMs = performance.now() - begun;
  const native = await Promise.all(
    Array.from({ length: connections }, (_, index) =>
      exchange(scene.daemon.socketPath, `{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"token":"guess-${index}"}}\n`),
    ),
  );
  // Whoever has to make room is told that, which is no word about the token.
  const told = answers.filter(({ said }) => /"decision"|auth\.failed/.test(said)).length;
  const budget = UNAUTHENTICATED_MAX + 16 * Math.ceil(tookMs / 250);
  return [
    ...[...answers, ...native].flatMap((answer) => unfitAnswer(scene, answer)),
    ...(told > budget ? [`${told} guesses were answered in ${Math.round(tookMs)} ms`] : []),
  ];
}
