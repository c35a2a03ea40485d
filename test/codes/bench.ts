/** What a provocation has at hand: a daemon that everybody shares, a ground of its own, and daemons for itself. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/daemon.ts";
import { rawClient } from "../support/raw-client.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { type Answer, approve, attachOperator, openSession, type Session } from "../support/session.ts";

export interface Bench {
  readonly daemon: TestDaemon;
  readonly gateway: Session;
  readonly operator: Session;
  /** A fresh directory. */
  readonly directory: () => string;
  /** A fresh agent, which nobody has asked anything for yet. */
  readonly agent: () => string;
  readonly script: (text: string, name?: string) => string;
  /** Asks for this, lets the operator say yes, and runs what `changed` makes of it. */
  readonly approvedThenRun: (params: JsonObject, changed: JsonObject) => Promise<string>;
  /** Another daemon, for what must not touch the shared one. */
  readonly other: (options: TestDaemonOptions) => Promise<Pick<Bench, "daemon" | "gateway" | "operator">>;
  /** The code that this frame gets from somebody who is known. */
  readonly frame: (bytes: string | Uint8Array) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const scratch = scratchDirectory();
  const daemons: TestDaemon[] = [];
  const sessions: Session[] = [];
  let count = 0;
  const next = (): string => String((count += 1));

  async function start(options: TestDaemonOptions): Promise<{ daemon: TestDaemon; gateway: Session; operator: Session }> {
    const daemon = await startTestDaemon(options);
    daemons.push(daemon);
    const operator = await attachOperator(daemon);
    const gateway = await openSession(daemon, "gateway");
    sessions.push(operator, gateway);
    return { daemon, gateway, operator };
  }

  const shared = await start({
    document: {
      version: 1,
      agents: { off: { ask: "off" }, denied: { security: "deny" }, free: { security: "full", ask: "off" } },
    },
    settings: {
      agents: {
        list: [
          { id: "toolless", tools: { deny: ["exec"] } },
          { id: "runas", tools: { exec: { runAs: "no-such-user" } } },
        ],
      },
    },
  });
  const directory = (): string => {
    const path = join(scratch.path, next());
    mkdirSync(path);
    return path;
  };
  const agent = (): string => `agent-${next()}`;
  return {
    ...shared,
    directory,
    agent,
    script: (text, name = "s.sh") => {
      const path = join(directory(), name);
      writeFileSync(path, text);
      chmodSync(path, 0o755);
      return path;
    },
    approvedThenRun: async (params, changed) => {
      const asked = { cwd: scratch.path, agentId: agent(), ...params };
      const approvalId = await approve(shared.gateway, shared.operator, asked);
      return codeOf(await shared.gateway.call("system.run", { ...asked, ...changed, approvalId }));
    },
    other: start,
    frame: async (bytes) => {
      const client = await rawClient(shared.daemon.socketPath);
      await client.authenticate(shared.daemon.gatewayToken);
      client.send(bytes);
      const answer = await client.next();
      client.close();
      return codeIn(answer);
    },
    stop: async () => {
      for (const session of sessions) session.close();
      await Promise.all(daemons.map((daemon) => daemon.stop()));
      scratch.remove();
    },
  };
}

export function codeOf(answer: Answer): string {
  return answer.ok ? `answered ${JSON.stringify(answer.result)}` : answer.code;
}

export function codeIn(frame: JsonObject | null): string {
  return /"code":"([a-z]+[.a-z0-9-]*)"/.exec(JSON.stringify(frame?.["error"] ?? null))?.[1] ?? `answered ${JSON.stringify(frame)}`;
}
