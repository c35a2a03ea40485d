/** `countersign daemon`: from an empty process to a socket that answers, and back. Whatever is wrong on the way is said, and nothing listens. */
import { realpathSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Caller } from "../auth/caller.ts";
import { type AbsolutePath, parseAbsolutePath } from "../core/absolute-path.ts";
import { CODES } from "../core/codes.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { SERVER_NAME } from "../core/version.ts";
import { createExecHost } from "../exec/create-exec-host.ts";
import { lockByChild } from "../exec/lock-child.ts";
import { loadNative } from "../native/libc.ts";
import type { Native } from "../native/native.ts";
import { type InstanceLock, takeInstanceLock } from "../store/instance-lock.ts";
import { openSettingsFile } from "../store/settings-file.ts";
import type { StatePaths } from "../store/state-paths.ts";
import { assemble } from "./assemble.ts";
import { type Connections, serveConnections } from "./connections.ts";
import { createConsume } from "./consume.ts";
import { createAdministration } from "./create-administration.ts";
import { createDispatch } from "./dispatch.ts";
import { createHandler } from "./handler.ts";
import { fillState, openState } from "./init.ts";
import { untilStopped } from "./lifecycle.ts";
import { listenAt } from "./listen.ts";
import { createLog, denialDetails, type Log } from "./log.ts";
import { createObserver } from "./observe.ts";
import { createOpenclawDialect } from "./openclaw.ts";
import { policiesOf } from "./policies.ts";
import { type HandOver, listenOn, notifierOf, takeHandOver } from "./systemd.ts";
import { takeTestHooks } from "./test-hooks.ts";

export interface DaemonOptions {
  readonly stateDir?: string | undefined;
  readonly socket?: string | undefined;
  readonly config?: string | undefined;
  readonly allowRoot: boolean;
  readonly allowUnattended: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Resolves with the exit code when the daemon has stopped. */
export async function serveDaemon(options: DaemonOptions): Promise<number> {
  const served = await serve(options);
  if (served.ok) return 0;
  const { code, message } = served.failure;
  process.stderr.write(`countersign: ${message} [${code}]\n`);
  return CODES[code].exit;
}

async function serve(options: DaemonOptions): Promise<Result<void, Denial>> {
  const handOver = takeHandOver(options.env);
  if (!handOver.ok) return handOver;
  const uid = process.geteuid?.() ?? 0;
  if (uid === 0 && !options.allowRoot) return fail(asRoot());
  // The child's own default; our files get explicit modes.
  process.umask(0o022);
  const native = loadNative();
  native?.becomeUndumpable();
  const paths = openState({ flag: options.stateDir, env: options.env, home: options.env["HOME"] ?? homedir(), cwd: options.cwd });
  if (!paths.ok) return paths;
  const lock = await takeInstanceLock(paths.value.lock, native, lockByChild);
  if (!lock.ok) return lock;
  try {
    return await serveLocked(options, { native, uid, paths: paths.value, lock: lock.value, handOver: handOver.value });
  } finally {
    lock.value.release();
  }
}

interface Ground {
  readonly native: Native | null;
  readonly uid: number;
  readonly paths: StatePaths;
  readonly lock: InstanceLock;
  readonly handOver: HandOver;
}

async function serveLocked(options: DaemonOptions, ground: Ground): Promise<Result<void, Denial>> {
  const { native, uid, paths, handOver } = ground;
  const log = createLog(options.env["COUNTERSIGN_LOG"] ?? "info");
  const filled = await fillState(paths, uid);
  if (!filled.ok) return filled;
  const named = options.config ?? options.env["COUNTERSIGN_CONFIG"];
  let tellChange = (): void => undefined;
  const settingsFile = openSettingsFile({
    path: named === undefined ? paths.settings : resolve(options.cwd, named),
    uid,
    named: named !== undefined,
    onChange: () => tellChange(),
    onRefused: (why) => log.error("the settings on disk are not in force; the old ones stay", denialDetails(why)),
  });
  if (!settingsFile.ok) return settingsFile;
  const settings = settingsFile.value;
  const home = realHome(options);
  if (!home.ok) return home;
  const places = { home: home.value, stateDirectory: paths.directory };
  const policies = remembered(
    () => settings.current(),
    (current) => policiesOf(current, places),
  );
  const exec = await createExecHost({ native, atStart: { ...options.env }, stateDirectory: paths.directory });
  if (!exec.ok) return exec;
  const stopping = new AbortController();
  const assembled = await assemble({
    paths,
    uid,
    filled: filled.value,
    exec: exec.value,
    stopping: stopping.signal,
    allowUnattended: options.allowUnattended,
    policies,
    ...takeTestHooks(options.env),
  });
  if (!assembled.ok) {
    await exec.value.stop();
    return assembled;
  }
  const { world, kept, credentials, trust, uses } = assembled.value;
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: false });
  const startedAtMs = world.clock.nowMs();
  // One for both dialects: whoever counts a use must not be passed by another who counts it too.
  const consume = createConsume(world);
  let connections: Connections;
  const administration = createAdministration({
    world,
    journal: kept.journal,
    credentials,
    trust,
    uses,
    startedAtMs,
    lock: ground.lock.kind,
    peersAreKnown: native !== null,
    configPath: settings.path,
    policies,
    settingsProblem: () => settings.problem()?.message ?? null,
    connections: () => connections,
  });
  connections = serveConnections(server, {
    handle: createHandler(createDispatch(world, administration, consume), world.hub),
    onDialect: createOpenclawDialect({
      world,
      consume,
      credentials: () => credentials.current(),
      startedAtMs: Date.now(),
      wallMs: Date.now,
      trustForwarded: () => policies().trustForwardedDecisions,
    }),
    native,
    credentials: () => credentials.current(),
    allowUids: () => filled.value.documentFile.lastGood().document.socket.allowUids,
    welcome: ({ role }: Caller): JsonObject => ({
      role,
      server: SERVER_NAME,
      protocol: 1,
      hostId: world.hostId,
      enforcement: { level: world.enforcement.level, parts: world.enforcement.parts },
    }),
    observe: createObserver(world.clock, (event) => world.note(event), log),
  });
  tellChange = () => {
    world.note({ type: "policy.changed", details: { what: "settings", path: settings.path } });
    world.hub.publish("policy.changed", null, { what: "settings", path: settings.path });
    log.info("other settings are in force", { path: settings.path });
  };
  const notifier = notifierOf(handOver, native, null);
  let stopListening = (): void => undefined;
  // Signals are heard before the socket has its name: whoever is told to stop in between takes it away again.
  const stopped = untilStopped({
    world,
    connections,
    stopping,
    log,
    stopListening: () => stopListening(),
    onStopping: () => notifier.stopping(),
    reload: () => {
      notifier.reloading();
      const problem = settings.problem();
      reload(log, [problem === null ? ok(undefined) : fail(problem), credentials.reload(), trust.reload()]);
      connections.closeStale("now");
      notifier.ready();
    },
  });
  const listening = await listen(server, options, ground, filled.value.documentFile.lastGood().document.socket);
  if (!listening.ok) {
    await assembled.value.close();
    return listening;
  }
  stopListening = () => listening.value.stop();
  if (stopping.signal.aborted) stopListening();
  world.note({ type: "daemon.started", details: { pid: process.pid, enforcement: world.enforcement.level, lost: assembled.value.lost } });
  log.info("listening", { socket: listening.value.path, enforcement: world.enforcement.level, lost: assembled.value.lost });
  notifier.ready();
  await stopped;
  world.note({ type: "daemon.stopped", details: { pid: process.pid } });
  await assembled.value.close();
  notifier.close();
  log.info("stopped");
  return ok(undefined);
}

/** Made anew only when what it is made of changed. */
function remembered<From extends object, To>(read: () => From, make: (from: From) => To): () => To {
  let from = read();
  let made = make(from);
  return () => {
    const now = read();
    if (now !== from) [from, made] = [now, make(now)];
    return made;
  };
}

function reload(log: Log, outcomes: readonly Result<unknown, Denial>[]): void {
  for (const outcome of outcomes) if (!outcome.ok) log.error("the old one stays in force", denialDetails(outcome.failure));
  log.info("read again");
}

async function listen(
  server: Server,
  options: DaemonOptions,
  { native, handOver, paths }: Ground,
  socket: { readonly path: string | null; readonly allowUids: readonly number[] },
): Promise<Result<{ readonly path: string; stop(): void }, Denial>> {
  if (handOver.listenFd !== null) {
    const taken = await listenOn(server, handOver.listenFd);
    return taken.ok ? ok({ path: "from systemd", stop: () => void server.close() }) : taken;
  }
  const path = socketPath(options, socket.path ?? paths.socket);
  if (!path.ok) return path;
  const listening = await listenAt(server, { path: path.value, shared: socket.allowUids.length > 0, native });
  return listening.ok ? ok({ path: path.value, stop: () => listening.value.stop() }) : listening;
}

/** Never relative to wherever the daemon happened to be started. */
function socketPath({ socket, env }: DaemonOptions, stored: string): Result<AbsolutePath, Denial> {
  const wanted = socket ?? env["COUNTERSIGN_SOCKET"] ?? stored;
  const home = env["HOME"] ?? homedir();
  const expanded = wanted === "~" || wanted.startsWith("~/") ? `${home}${wanted.slice(1)}` : wanted;
  const parsed = parseAbsolutePath(expanded);
  return parsed.ok
    ? parsed
    : fail(denial("config.invalid", `the socket path \`${wanted}\` is not a plain absolute path; write it out in full`));
}

function realHome({ env }: DaemonOptions): Result<AbsolutePath, Denial> {
  const home = env["HOME"] ?? homedir();
  try {
    const real = parseAbsolutePath(realpathSync(home));
    if (real.ok) return real;
  } catch {
    // Said below.
  }
  return fail(denial("config.invalid", `HOME is \`${home}\`, which is not a directory; set it to one`));
}

function asRoot(): Denial {
  return denial(
    "config.invalid",
    "the daemon does not run as root unasked: commands would have all of root's power; add --allow-root if they should",
  );
}
