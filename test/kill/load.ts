/**
 * Clients that ask, answer and run as fast as they can until the daemon is killed under them, and remember what they were told. Each command
 * appends a line of its own to a file outside, so that what really ran is seen without asking the daemon.
 */
import { isCallError } from "../../src/client/client.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { TestDaemon } from "../support/daemon.ts";
import { attachOperator, openSession, type Session } from "../support/session.ts";

export type Told = "asked" | "allowed" | "denied" | "ran" | "refused";

export interface Request {
  readonly id: string;
  readonly line: string;
  readonly params: JsonObject;
  /** The last thing that was said about it; after a kill more may be true than was said. */
  told: Told;
  /** A run was sent, and nobody knows what became of it. */
  inDoubt: boolean;
}

export interface Load {
  readonly requests: Request[];
  /** Plays until the daemon is gone. */
  play(daemon: TestDaemon, round: number): Promise<void>;
}

const WORKERS = 4;
/** Below the prompts that one agent may cause in a minute. */
const REQUESTS_PER_AGENT = 25;

export function createLoad(file: string): Load {
  const requests: Request[] = [];

  async function one(gateway: Session, operator: Session, agentId: string, name: string): Promise<void> {
    const params = { argv: ["/usr/bin/tee", "-a", file], stdin: `${name}\n`, cwd: "/", agentId };
    const asked = await gateway.must("exec.approval.request", { ...params, twoPhase: true, approvalTimeoutMs: 3_600_000 });
    const { id } = asked;
    if (typeof id !== "string") throw new Error(`no id: ${JSON.stringify(asked)}`);
    const request: Request = { id, line: name, params, told: "asked", inDoubt: false };
    requests.push(request);
    const fate = Math.random();
    // Some are never answered, some are refused, some are allowed and not used: all of them must still be what they were.
    if (fate < 0.1) return;
    const decision = fate < 0.25 ? "deny" : "allow-once";
    await operator.must("exec.approval.resolve", { id, decision });
    request.told = decision === "deny" ? "denied" : "allowed";
    if (fate > 0.35) await run(gateway, request);
  }

  async function run(gateway: Session, request: Request): Promise<void> {
    request.inDoubt = true;
    const answer = await gateway.call("system.run", { ...request.params, approvalId: request.id });
    if (!answer.ok && answer.code.startsWith("client.")) throw new Error(answer.code);
    request.inDoubt = false;
    request.told = answer.ok ? "ran" : "refused";
  }

  async function work(daemon: TestDaemon, name: string): Promise<void> {
    const gateway = await openSession(daemon, "gateway");
    const operator = await attachOperator(daemon);
    try {
      // Whatever was cut off by the last kill is tried again: if it was used up then, it must not run now.
      for (const request of requests.filter(({ inDoubt }) => inDoubt)) await run(gateway, request);
      for (let count = 0; count < REQUESTS_PER_AGENT; count += 1) await one(gateway, operator, name, `${name}-${count}`);
    } finally {
      gateway.close();
      operator.close();
    }
  }

  return {
    requests,
    play: async (daemon, round) => {
      const workers = Array.from({ length: WORKERS }, (_, index) => work(daemon, `k-${round}-${index}`).catch(whenGone));
      await Promise.all(workers);
    },
  };
}

/** The daemon is killed under them: that is the point. Everything else is a failure. */
function whenGone(error: unknown): void {
  if (isCallError(error) && error.code.startsWith("client.")) return;
  if (error instanceof Error && /client\.|was refused: client/.test(error.message)) return;
  throw error;
}
