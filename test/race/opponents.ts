/** Who is attacked: a checker that hashes by path and starts by path, as peers do, and the daemon at one of its levels. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { startTestDaemon } from "../support/daemon.ts";
import { approve, attachOperator, openSession } from "../support/session.ts";
import type { Arena } from "./arena.ts";

export type Level = "baseline" | "pinned" | "sealed";

export interface Opponent {
  readonly name: Level;
  /** To be called while the attacker rests: what is approved is the good version. */
  approve(arena: Arena, count: number): Promise<Approved>;
  stop(): Promise<void>;
}

export interface Approved {
  /** Launches that are still approved. */
  left(): number;
  attempt(): Promise<"ran" | "refused">;
}

export const baseline: Opponent = {
  name: "baseline",
  approve: (arena) => {
    const approved = seen(arena);
    const attempt = async (): Promise<"ran" | "refused"> => {
      if (seen(arena) !== approved) return "refused";
      return (await started(arena)) ? "ran" : "refused";
    };
    return Promise.resolve({ left: () => Number.POSITIVE_INFINITY, attempt });
  },
  stop: () => Promise.resolve(),
};

/** Everything that can be learnt by path: the bytes of each file, where the directory really is, and which one it is. */
function seen({ argv: [command], cwd, hashed, path }: Arena): string {
  try {
    const files = command.includes("/") ? hashed : [found(command, path)];
    const hashes = files.map((file) => `${realpathSync(file)} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`);
    const { dev, ino } = statSync(cwd);
    return [...hashes, realpathSync(cwd), dev, ino].join("\n");
  } catch {
    return "nothing";
  }
}

function found(command: string, path: readonly string[]): string {
  const candidates = path.map((directory) => join(directory, command));
  return candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false }) !== undefined) ?? "";
}

/** `false` when there was nothing to start: some of these errors are thrown, others are told. */
function started({ argv: [command, ...rest], cwd, path }: Arena): Promise<boolean> {
  return new Promise((settle) => {
    try {
      const child = spawn(command, rest, { cwd, stdio: "ignore", env: { PATH: [...path, "/usr/bin", "/bin"].join(delimiter) } });
      child.once("error", () => settle(false));
      child.once("close", () => settle(true));
    } catch {
      settle(false);
    }
  });
}

/** The daemon asks at most so often a minute per agent; a new agent is a new count. */
const APPROVALS_PER_AGENT = 25;
/** Refusals that use nothing up: the approval can be tried again. */
const UNSPENT = /^binding\.|^exec\.(cwd-invalid|not-found|not-executable)$/;

export async function daemonAt(level: "sealed" | "pinned", path: readonly string[]): Promise<Opponent> {
  const daemon = await startTestDaemon({
    settings: { tools: { exec: { path: [...path, "/usr/bin", "/bin"] } } },
    env: level === "pinned" ? { COUNTERSIGN_NATIVE: "off" } : {},
  });
  const operator = await attachOperator(daemon);
  const gateway = await openSession(daemon, "gateway");
  const { enforcement } = gateway.client.welcome;
  if (enforcement["level"] !== level) throw new Error(`the daemon is not ${level} here: ${JSON.stringify(enforcement)}`);
  let agents = 0;
  return {
    name: level,
    approve: async ({ argv, cwd }, count) => {
      agents += 1;
      const params = { argv, cwd, agentId: `racer-${agents}` };
      const asking = { ...params, approvalTimeoutMs: 3_600_000 };
      const wanted = Array.from({ length: Math.min(APPROVALS_PER_AGENT, count) }, () => approve(gateway, operator, asking));
      const ids = await Promise.all(wanted);
      const attempt = async (): Promise<"ran" | "refused"> => {
        const answer = await gateway.call("system.run", { ...params, approvalId: ids.at(-1) });
        if (!answer.ok && answer.code === "internal") throw new Error(`${answer.message}\n${daemon.logs().slice(-2000)}`);
        if (answer.ok || !UNSPENT.test(answer.code)) ids.pop();
        return answer.ok ? "ran" : "refused";
      };
      return { left: () => ids.length, attempt };
    },
    stop: async () => {
      gateway.close();
      operator.close();
      await daemon.stop();
    },
  };
}
