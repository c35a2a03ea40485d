/** The state directory and the socket, as somebody else would like to find or leave them. */
import { spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../../src/client/client.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { countersign } from "../../support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "../../support/daemon.ts";
import { fakeServerAt } from "../../support/fake-server.ts";
import { smallDisk } from "../../support/full-disk.ts";
import { isAlive, until } from "../../support/processes.ts";
import { MAIN } from "../../support/program.ts";
import { tryStart } from "../../support/try-start.ts";
import { count, isList, object, objects, text, texts } from "../attack.ts";
import { type Ground, plant } from "../ground.ts";
import { filled } from "../placeholders.ts";
import type { Player } from "../player.ts";

const NOBODY = 65534;
const CONFIGURATION = 78;

/** Where the case has got to: what is on disk, what runs, and how the next start is to be made. */
interface Scenery {
  readonly ground: Ground;
  readonly stateDir: string;
  readonly found: string[];
  daemon: TestDaemon | null;
  /** What lay there before the start, and must lie there afterwards. */
  readonly planted: Map<string, string>;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  umask: number | null;
  /** The last step was itself the proof. */
  isOver: boolean;
}

export const playFs: Player = async (attack, ground, stage) => {
  const stateDir = stage.stateDirOf(attack);
  const SOCK = join(stateDir, "exec-approvals.sock");
  const steps = objects(attack.given["fs"]).map((step) => filled(step, { ...ground.names, STATE: stateDir, SOCK }));
  const scenery: Scenery = { ground, stateDir, found: [], daemon: null, planted: new Map(), args: [], env: {}, umask: null, isOver: false };
  try {
    if (!steps.some((step) => step["diskFull"] === true)) await inhabit(stateDir);
    for (const step of steps) await perform(scenery, step, SOCK);
    if (!scenery.isOver) await startsSafelyOrNot(scenery, SOCK);
    return scenery.found;
  } finally {
    await scenery.daemon?.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
};

/** A state directory as a daemon leaves it. */
async function inhabit(stateDir: string): Promise<void> {
  mkdirSync(dirname(stateDir), { recursive: true });
  const daemon = await startTestDaemon({ stateDir });
  await daemon.stop();
}

async function perform(scenery: Scenery, step: JsonObject, socketPath: string): Promise<void> {
  const { stateDir, ground } = scenery;
  if (step["killDaemon"] !== undefined) {
    scenery.daemon ??= await startTestDaemon({ stateDir });
    process.kill(scenery.daemon.process.pid ?? 0, count(step["killDaemon"]));
    await until(() => !isAlive(scenery.daemon?.process.pid ?? 0), 5000);
    scenery.daemon = null;
  } else if (step["start"] === true) {
    scenery.daemon = await startTestDaemon({ stateDir });
    scenery.found.push(...unsafe(stateDir, scenery.daemon.socketPath));
    scenery.isOver = true;
  } else if (step["startConcurrent"] !== undefined) {
    scenery.found.push(...(await manyAtOnce(stateDir, count(step["startConcurrent"]), socketPath)));
    scenery.isOver = true;
  } else if (step["fakeServer"] !== undefined) {
    scenery.found.push(...(await meetsFake(scenery, text(step["fakeServer"]))));
    scenery.isOver = true;
  } else if (step["diskFull"] === true) {
    scenery.found.push(...(await onFullDisk()));
    scenery.isOver = true;
  } else if (step["sock"] !== undefined) {
    scenery.found.push(...(await configured(scenery, text(step["sock"]))));
    scenery.isOver = true;
  } else if (step["env"] !== undefined) {
    scenery.env = Object.fromEntries(Object.entries(object(step["env"])).map(([name, value]) => [name, text(value)]));
  } else if (step["umask"] !== undefined) {
    scenery.umask = Number.parseInt(text(step["umask"]), 8);
  } else if (step["chown"] !== undefined) {
    const [path = "", user = ""] = texts(step["chown"]);
    if (user !== "nobody") throw new Error(`nothing here becomes ${user}`);
    chownSync(path, NOBODY, NOBODY);
  } else {
    if (step["unlink"] === socketPath) scenery.daemon ??= await startTestDaemon({ stateDir });
    if (isList(step["symlink"])) makeWay(scenery, step);
    plant(step, ground);
    remember(scenery, step);
  }
}

/** The target of a link exists and is somebody's: a file that must stay as it is, or a directory that anybody can write to. */
function makeWay(scenery: Scenery, step: JsonObject): void {
  const [target = "", name = ""] = texts(step["symlink"]);
  if (name === scenery.stateDir) {
    renameSync(name, `${name}.before`);
    mkdirSync(target, { recursive: true, mode: 0o777 });
    plant({ chmod: [target, "0777"] }, scenery.ground);
  } else if (!existsSync(target)) {
    writeFileSync(target, "victim\n");
    scenery.planted.set(target, "victim\n");
  }
}

function remember(scenery: Scenery, step: JsonObject): void {
  if (typeof step["write"] === "string") scenery.planted.set(step["write"], readFileSync(step["write"], "utf8"));
}

/** Refused with a word about it and everything as it was; or started, and then there is nothing that others could use. */
async function startsSafelyOrNot(scenery: Scenery, socketPath: string): Promise<void> {
  const { stateDir, args, env, found, planted } = scenery;
  const before = new Map([...planted.keys()].map((path) => [path, lstatSync(path).mode]));
  const usual = scenery.umask === null ? null : process.umask(scenery.umask);
  const start = await tryStart({ stateDir, args, env }).finally(() => usual === null || process.umask(usual));
  if ("running" in start) {
    scenery.daemon = start.running;
    found.push(...unsafe(stateDir, start.running.socketPath));
  } else {
    if (start.exitCode !== CONFIGURATION) found.push(`it ended with ${start.exitCode}: ${start.log}`);
    if (!/`\//.test(start.log)) found.push(`the refusal names no path: ${start.log}`);
  }
  for (const [path, content] of planted) {
    if (readFileSync(path, "utf8") !== content || lstatSync(path).mode !== before.get(path)) found.push(`${path} was touched`);
  }
  if (env["TMPDIR"] !== undefined && readdirSync(env["TMPDIR"]).length > 0) found.push(`something was left in ${env["TMPDIR"]}`);
  void socketPath;
}

/** What a daemon that runs may have lying about: directories at 0700, everything else at 0600, all of it ours and none of it a link. */
export function unsafe(stateDir: string, socketPath: string): readonly string[] {
  const found: string[] = [];
  const look = (path: string, stats: Stats): void => {
    const mode = stats.mode & 0o777;
    if (stats.isSymbolicLink()) found.push(`${path} is a link`);
    if (stats.uid !== process.getuid?.()) found.push(`${path} belongs to ${stats.uid}`);
    if (mode !== (stats.isDirectory() ? 0o700 : 0o600)) found.push(`${path} has mode ${mode.toString(8)}`);
  };
  look(stateDir, lstatSync(stateDir));
  for (const name of readdirSync(stateDir, { recursive: true, encoding: "utf8" }))
    look(join(stateDir, name), lstatSync(join(stateDir, name)));
  if (!lstatSync(socketPath).isSocket()) found.push(`${socketPath} is no socket`);
  if (dirname(socketPath) !== stateDir) found.push(`the socket lies at ${socketPath}`);
  return found;
}

const SETTLED_MS = 15_000;

/** However many begin, one serves; the others end, and say why. */
async function manyAtOnce(stateDir: string, daemons: number, socketPath: string): Promise<readonly string[]> {
  const asRoot = process.getuid?.() === 0 ? ["--allow-root"] : [];
  const children = Array.from({ length: daemons }, () =>
    spawn(process.execPath, [MAIN, "daemon", "--state-dir", stateDir, ...asRoot], {
      env: { PATH: "/usr/bin:/bin", HOME: dirname(stateDir) },
      stdio: "ignore",
    }),
  );
  const alive = (): number => children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).length;
  await until(() => alive() <= 1, SETTLED_MS);
  await sleep(100);
  const served = existsSync(socketPath) && alive() === 1;
  const codes = new Set(children.flatMap(({ exitCode }) => (exitCode === null ? [] : [exitCode])));
  const left = alive();
  for (const child of children) child.kill("SIGKILL");
  await until(() => alive() === 0, 5000);
  return [...(served ? [] : [`${left} of ${daemons} serve`]), ...(codes.has(0) ? ["one that did not serve ended with 0"] : [])];
}

/** A client that meets somebody else at the path gives nothing away. */
async function meetsFake(scenery: Scenery, path: string): Promise<readonly string[]> {
  const { stateDir } = scenery;
  const document: unknown = JSON.parse(readFileSync(join(stateDir, "exec-approvals.json"), "utf8"));
  const token = /"token":"([^"]+)"/.exec(JSON.stringify(document))?.[1] ?? "";
  const operatorToken = readFileSync(join(stateDir, "operator.token"), "utf8").trim();
  rmSync(path, { force: true });
  const fake = await fakeServerAt(path);
  const trusted: string[] = [];
  for (const [role, secret] of [
    ["gateway", token],
    ["operator", operatorToken],
  ] as const) {
    const client = await connect({ socketPath: path, role, token: secret }).catch(() => null);
    if (client !== null) trusted.push(`the ${role} trusted a stranger`);
    client?.close();
  }
  const { exitCode } = await countersign(["status", "--state-dir", stateDir]);
  const heard = fake.heard();
  await fake.close();
  return [
    ...trusted,
    ...(exitCode === 0 ? ["the command line trusted a stranger"] : []),
    ...(heard === "" ? ["nobody said anything: nothing was shown"] : []),
    ...([token, operatorToken].some((secret) => secret !== "" && heard.includes(secret)) ? ["a token was handed over"] : []),
  ];
}

/** A socket's path from the document or from the command line: taken if it is safe, refused if it is not, never bent into another. */
async function configured({ stateDir, ground }: Scenery, path: string): Promise<readonly string[]> {
  const found: string[] = [];
  const file = join(stateDir, "exec-approvals.json");
  const document = object(JSON.parse(readFileSync(file, "utf8")));
  const byDocument = { args: [], document: { ...document, socket: { ...object(document["socket"] ?? {}), path } } };
  const byFlag = path.includes("\0") ? [] : [{ args: ["--socket", path], document }];
  for (const { args, document: written } of [byDocument, ...byFlag]) {
    writeFileSync(file, JSON.stringify(written));
    const before = readdirSync(dirname(stateDir));
    const start = await tryStart({ stateDir, args });
    if ("running" in start) {
      const { socketPath } = start.running;
      found.push(...(dirname(socketPath) === stateDir ? [] : [`it listens at ${socketPath}`]));
      await start.running.stop();
    } else if (start.exitCode !== CONFIGURATION && start.exitCode !== 64) found.push(`it ended with ${start.exitCode}: ${start.log}`);
    const strays = [...readdirSync(ground.tmp), ...readdirSync(dirname(stateDir)).filter((name) => !before.includes(name))];
    if (strays.length > 0) found.push(`something was left: ${strays.map((name) => basename(name)).join(", ")}`);
  }
  return found;
}

async function onFullDisk(): Promise<readonly string[]> {
  const disk = smallDisk();
  try {
    if (disk.kind !== "tmpfs") return [];
    disk.fill(0);
    const start = await tryStart({ stateDir: disk.stateDir });
    if ("running" in start) {
      await start.running.stop();
      return ["it started on a disk that was full"];
    }
    const empty = readdirSync(disk.stateDir).filter((name) => lstatSync(join(disk.stateDir, name)).isFile() && /json|token/.test(name));
    return empty.length === 0 ? [] : [`left behind: ${empty.join(", ")}`];
  } finally {
    disk.remove();
  }
}
