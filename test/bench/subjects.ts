/** What is measured: something that can launch a command, one after the other or many at once. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { startTestDaemon, type TestDaemonOptions } from "../support/daemon.ts";
import { approve, attachOperator, openSession, type Session } from "../support/session.ts";

export interface Launches {
  readonly each: readonly number[];
  readonly elapsedMs: number;
}

export interface Subject {
  launch(launches: number, inFlight: number): Promise<Launches>;
  readonly pid: number;
  stop(): Promise<void>;
}

const TRUE = ["/bin/true"];
/** What a service gets, and not what somebody's shell has gathered over the years: every directory of it is looked at for each command. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** `prefix` is put before the command: `sudo -n /bin/true`. */
export function bareSpawn(prefix: readonly string[] = [], ballastMb = 0): Subject {
  const child: ChildProcess = fork(join(import.meta.dirname, "bare.js"), {
    env: { ...process.env, COUNTERSIGN_TEST_BALLAST_MB: String(ballastMb) },
  });
  return {
    pid: child.pid ?? 0,
    launch: async (launches, inFlight) => {
      child.send({ launches, inFlight, argv: [...prefix, ...TRUE] });
      const [answer]: unknown[] = await once(child, "message");
      if (!isLaunches(answer)) throw new Error("not an answer");
      return answer;
    },
    stop: async () => {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

function isLaunches(value: unknown): value is Launches {
  return isJsonObject(value) && Array.isArray(value["each"]) && typeof value["elapsedMs"] === "number";
}

/** The daemon asks at most so often a minute per agent; a new agent is a new count. */
const APPROVALS_PER_AGENT = 25;
const AGENTS_AT_ONCE = 4;

/** Every launch has an approval of its own, given before the clock starts: verified, durably consumed, started, waited for. */
export async function approvedRuns(options: TestDaemonOptions = {}): Promise<Subject> {
  const daemon = await startTestDaemon({ ...options, env: { PATH, ...options.env } });
  const operator = await attachOperator(daemon);
  const gateway = await openSession(daemon, "gateway");
  let agents = 0;
  async function approvalsOfNextAgent(count: number): Promise<readonly JsonObject[]> {
    agents += 1;
    const params = { argv: TRUE, cwd: "/", agentId: `bench-${agents}` };
    const asking = { ...params, approvalTimeoutMs: 3_600_000 };
    const ids = await Promise.all(Array.from({ length: count }, () => approve(gateway, operator, asking)));
    return ids.map((approvalId) => ({ ...params, approvalId }));
  }
  async function approvals(count: number): Promise<readonly JsonObject[]> {
    const ready: JsonObject[] = [];
    while (ready.length < count) {
      const missing = Math.min(count - ready.length, APPROVALS_PER_AGENT * AGENTS_AT_ONCE);
      const shares = Array.from({ length: Math.ceil(missing / APPROVALS_PER_AGENT) }, (_, index) =>
        approvalsOfNextAgent(Math.min(APPROVALS_PER_AGENT, missing - index * APPROVALS_PER_AGENT)),
      );
      ready.push(...(await Promise.all(shares)).flat());
    }
    return ready;
  }
  return {
    pid: daemon.process.pid ?? 0,
    launch: async (launches, inFlight) => timed(gateway, await approvals(launches), inFlight),
    stop: async () => {
      gateway.close();
      operator.close();
      await daemon.stop();
    },
  };
}

/** Allowed by an entry of the allowlist, which is as long as is asked for. */
export async function listedRuns(entries: number): Promise<Subject> {
  const others = Array.from({ length: entries - 1 }, (_, index) => `/opt/tools/${index}/bin/tool-${index}`);
  const agents = { main: { ask: "off", allowlist: [...others, "/usr/bin/true"] } };
  const daemon = await startTestDaemon({ document: { version: 1, agents }, env: { PATH } });
  const gateway = await openSession(daemon, "gateway");
  return {
    pid: daemon.process.pid ?? 0,
    launch: (launches, inFlight) =>
      timed(
        gateway,
        Array.from({ length: launches }, () => ({ argv: TRUE, cwd: "/" })),
        inFlight,
      ),
    stop: async () => {
      gateway.close();
      await daemon.stop();
    },
  };
}

async function timed(gateway: Session, runs: readonly JsonObject[], inFlight: number): Promise<Launches> {
  const each: number[] = [];
  let next = 0;
  const begun = performance.now();
  const worker = async (): Promise<void> => {
    for (let run = runs[next]; run !== undefined; run = runs[next]) {
      next += 1;
      const started = performance.now();
      await gateway.must("system.run", run);
      each.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { each, elapsedMs: performance.now() - begun };
}
