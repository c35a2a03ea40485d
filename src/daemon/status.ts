import type { Approval } from "../approvals/approval.ts";
import { isAgentId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { APPROVALS_PENDING_MAX, CALLS_PER_CONNECTION_MAX, CONNECTIONS_MAX, LINE_BYTES_MAX } from "../core/limits.ts";
import { SERVER_NAME, VERSION } from "../core/version.ts";
import type { InstanceLock } from "../store/instance-lock.ts";
import type { Asker } from "./asker.ts";
import type { Connections } from "./connections.ts";
import type { World } from "./world.ts";

export interface StatusParts {
  readonly world: World;
  readonly startedAtMs: number;
  readonly lock: InstanceLock["kind"];
  readonly connections: () => Connections;
  readonly peersAreKnown: boolean;
  readonly configPath: string;
  /** Why the settings file on disk is not the one in force, if so. */
  settingsProblem(): string | null;
}

/** How the daemon is, and what its promises rest on: a weak point is said here and not found out later. */
export function statusOf(asker: Asker, parts: StatusParts): JsonObject {
  const { world } = parts;
  const stored = world.document();
  const { approvals } = world.desk.ledger;
  const isAskers = ({ credential }: Approval): boolean => asker.role === "operator" || credential === asker.credential;
  const connections = parts.connections().counts();
  return {
    version: VERSION,
    server: SERVER_NAME,
    protocol: 1,
    pid: process.pid,
    uptimeMs: world.clock.nowMs() - parts.startedAtMs,
    startedAtMs: parts.startedAtMs,
    role: asker.role,
    hostId: world.hostId,
    enforcement: { level: world.enforcement.level, parts: world.enforcement.parts },
    guards: {
      instance: parts.lock,
      peers: parts.peersAreKnown ? "SO_PEERCRED" : "the socket's mode alone",
    },
    counts: {
      pending: approvals.pending().filter(isAskers).length,
      allowed: approvals.allowed().filter(isAskers).length,
      running: world.runs.size,
      connections: { ...connections },
      residentBytes: process.memoryUsage.rss(),
    },
    limits: {
      lineBytes: LINE_BYTES_MAX,
      connections: CONNECTIONS_MAX,
      callsPerConnection: CALLS_PER_CONNECTION_MAX,
      pending: APPROVALS_PENDING_MAX,
    },
    document: stored.ok ? { ok: true, hash: stored.value.hash } : { ok: false, code: stored.failure.code, reason: stored.failure.message },
    settings: { path: parts.configPath, problem: parts.settingsProblem() },
    operatorAttached: world.hub.hasOperatorSurface(),
    notCovered: notCovered(world),
  };
}

/** With agent and daemon under one uid a hostile agent can read our state directory; nobody should learn that from an incident. */
function notCovered(world: World): readonly string[] {
  const usual = "main";
  if (isAgentId(usual) && world.policies().execFor(usual).runAs !== undefined) return [];
  const uid = process.geteuid?.() ?? 0;
  const advice = "`countersign install --system --run-as USER` gives commands a user of their own";
  return [
    `commands run as uid ${uid}, the daemon's own: this stops accidents and drift, not a hostile agent that reads the state directory; ${advice}`,
  ];
}
