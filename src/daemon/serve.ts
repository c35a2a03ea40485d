/** `countersign daemon`: from an empty process to a socket that answers, and back. Whatever is wrong on the way is said, and nothing listens. */
import { createServer, type Server } from "node:net";
import type { Caller } from "../auth/caller.ts";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { SERVER_NAME } from "../core/version.ts";
import { createExecHost } from "../exec/create-exec-host.ts";
import { type Assembled, assemble } from "./assemble.ts";
import { type Connections, serveConnections } from "./connections.ts";
import { createConsume } from "./consume.ts";
import { createAdministration } from "./create-administration.ts";
import { createDispatch } from "./dispatch.ts";
import { type DaemonOptions, type Ground, openGround } from "./ground.ts";
import { createHandler } from "./handler.ts";
import { type FilledState, fillState } from "./init.ts";
import { untilStopped } from "./lifecycle.ts";
import { createLog, denialDetails, type Log } from "./log.ts";
import { createObserver } from "./observe.ts";
import { openPolicies, type PolicySource } from "./open-policies.ts";
import { openSocket } from "./open-socket.ts";
import { createOpenclawDialect } from "./openclaw.ts";
import { notifierOf } from "./systemd.ts";
import { takeTestHooks } from "./test-hooks.ts";

/** Resolves when the daemon has stopped, or with the reason why it does not start. */
export async function serveDaemon(options: DaemonOptions): Promise<Result<void, Denial>> {
  const ground = await openGround(options);
  if (!ground.ok) return ground;
  try {
    return await serveLocked(options, ground.value);
  } finally {
    ground.value.lock.release();
  }
}

async function serveLocked(options: DaemonOptions, ground: Ground): Promise<Result<void, Denial>> {
  const { native, uid, paths } = ground;
  const log = createLog(options.env["COUNTERSIGN_LOG"] ?? "info");
  const filled = await fillState(paths, uid);
  if (!filled.ok) return filled;
  const policies = openPolicies(options, ground, log);
  if (!policies.ok) return policies;
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
    policies: () => policies.value.current(),
    ...takeTestHooks(options.env),
  });
  if (!assembled.ok) {
    await exec.value.stop();
    return assembled;
  }
  const house: House = { options, ground, filled: filled.value, policies: policies.value, assembled: assembled.value, log };
  const served = await serveHouse(house, stopping);
  await assembled.value.close();
  return served;
}

/** Everything that is open by the time somebody may knock. */
interface House {
  readonly options: DaemonOptions;
  readonly ground: Ground;
  readonly filled: FilledState;
  readonly policies: PolicySource;
  readonly assembled: Assembled;
  readonly log: Log;
}

async function serveHouse(house: House, stopping: AbortController): Promise<Result<void, Denial>> {
  const { options, ground, filled, policies, assembled, log } = house;
  const { world, credentials, trust, lost } = assembled;
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: false });
  const connections = answer(server, house);
  const notifier = notifierOf(ground.handOver, ground.native, null);
  policies.onChange(() => {
    world.note({ type: "policy.changed", details: { what: "settings", path: policies.path } });
    world.hub.publish("policy.changed", null, { what: "settings", path: policies.path });
    log.info("other settings are in force", { path: policies.path });
  });
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
      const problem = policies.problem();
      reload(log, [problem === null ? ok(undefined) : fail(problem), credentials.reload(), trust.reload()]);
      connections.closeStale("now");
      notifier.ready();
    },
  });
  const listening = await openSocket(server, options, ground, filled.documentFile.lastGood().document.socket);
  if (!listening.ok) return listening;
  stopListening = () => listening.value.stop();
  if (stopping.signal.aborted) stopListening();
  const { level } = world.enforcement;
  world.note({ type: "daemon.started", details: { pid: process.pid, enforcement: level, lost } });
  log.info("listening", { socket: listening.value.path, enforcement: level, lost });
  notifier.ready();
  await stopped;
  world.note({ type: "daemon.stopped", details: { pid: process.pid } });
  notifier.close();
  log.info("stopped");
  return ok(undefined);
}

/** Wires whoever connects to the methods, in either dialect. */
function answer(server: Server, { ground, filled, policies, assembled, log }: House): Connections {
  const { world, kept, credentials, trust, uses } = assembled;
  // One for both dialects: whoever counts a use must not be passed by another who counts it too.
  const consume = createConsume(world);
  let connections: Connections;
  const administration = createAdministration({
    world,
    journal: kept.journal,
    credentials,
    trust,
    uses,
    startedAtMs: world.clock.nowMs(),
    lock: ground.lock.kind,
    peersAreKnown: ground.native !== null,
    configPath: policies.path,
    policies: () => policies.current(),
    settingsProblem: () => policies.problem()?.message ?? null,
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
      trustForwarded: () => policies.current().trustForwardedDecisions,
    }),
    native: ground.native,
    credentials: () => credentials.current(),
    allowUids: () => filled.documentFile.lastGood().document.socket.allowUids,
    welcome: ({ role }: Caller): JsonObject => ({
      role,
      server: SERVER_NAME,
      protocol: 1,
      hostId: world.hostId,
      enforcement: { level: world.enforcement.level, parts: world.enforcement.parts },
    }),
    observe: createObserver(world.clock, (event) => world.note(event), log),
  });
  return connections;
}

function reload(log: Log, outcomes: readonly Result<unknown, Denial>[]): void {
  for (const outcome of outcomes) if (!outcome.ok) log.error("the old one stays in force", denialDetails(outcome.failure));
  log.info("read again");
}
