/** The ways in which a run is ended from outside. Each answers when the word is out, with the moment from which it counts. */
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/core/json.ts";
import type { TestDaemon } from "../support/daemon.ts";
import { until } from "../support/processes.ts";
import { type RawClient, rawClient } from "../support/raw-client.ts";

export interface Running {
  readonly daemon: TestDaemon;
  readonly client: RawClient;
  readonly runId: string;
  readonly sentAt: number;
}

export interface Ending {
  readonly name: "timeout" | "cancel" | "close" | "SIGTERM";
  /** `null`: the run may take as long as it likes. */
  readonly timeoutMs: number | null;
  /** Whether somebody is still there to be told what escaped. */
  readonly isAnswered: boolean;
  end(running: Running): Promise<number>;
}

/** Long enough for sixty processes to start on a busy machine. */
const TIMEOUT_MS = 4_000;

export const ENDINGS: readonly Ending[] = [
  {
    name: "timeout",
    timeoutMs: TIMEOUT_MS,
    isAnswered: true,
    // The daemon's clock began a little later than ours: what is measured is rather too much.
    async end({ sentAt }) {
      await sleep(sentAt + TIMEOUT_MS - performance.now());
      return sentAt + TIMEOUT_MS;
    },
  },
  {
    name: "cancel",
    timeoutMs: null,
    isAnswered: true,
    async end({ daemon, runId }) {
      const other = await connected(daemon);
      const at = performance.now();
      other.call("cancel", "system.run.cancel", { runId });
      await other.answer("cancel");
      other.close();
      return at;
    },
  },
  {
    name: "close",
    timeoutMs: null,
    isAnswered: false,
    async end({ client }) {
      const at = performance.now();
      client.close();
      return at;
    },
  },
  {
    name: "SIGTERM",
    timeoutMs: null,
    isAnswered: false,
    // The first word asks to finish what runs, the second not to wait for it.
    async end({ daemon }) {
      daemon.process.kill("SIGTERM");
      if (!(await until(() => daemon.logs().includes("stopping"), 30_000))) throw new Error("the daemon does not listen to SIGTERM");
      const at = performance.now();
      daemon.process.kill("SIGTERM");
      return at;
    },
  },
];

export async function connected(daemon: TestDaemon): Promise<RawClient> {
  const client = await rawClient(daemon.socketPath);
  const welcome = await client.authenticate(daemon.gatewayToken);
  if (welcome === null || "error" in welcome) throw new Error(`not let in: ${JSON.stringify(welcome)}`);
  return client;
}

/** On a connection of its own, whose end is the run's. */
export async function started(daemon: TestDaemon, argv: readonly string[], cwd: string, timeoutMs: number | null): Promise<Running> {
  const client = await connected(daemon);
  const sentAt = performance.now();
  client.call("run", "system.run", { argv, cwd, stream: true, ...(timeoutMs === null ? {} : { timeoutMs }) });
  for (let frame = await client.next(); frame !== null; frame = await client.next()) {
    const runId = runIdIn(frame);
    if (runId !== null) return { daemon, client, runId, sentAt };
    if (frame["id"] === "run") throw new Error(`not started: ${JSON.stringify(frame)}`);
  }
  throw new Error(`the daemon hung up:\n${daemon.logs()}`);
}

function runIdIn({ method, params }: JsonObject): string | null {
  const runId: unknown = typeof params === "object" && params !== null ? Reflect.get(params, "runId") : null;
  return method === "exec.started" && typeof runId === "string" ? runId : null;
}
