/** Many runs at once: they are started beside the loop, and each is still exactly its own. */

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type JsonObject } from "../../src/core/json.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { pids, until, workingIn } from "../support/processes.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";
import { openSession, type Session } from "../support/session.ts";

const RUNS = 256;
const AT_ONCE = 64;

let daemon: TestDaemon;
let scratch: Scratch;
let cwd = "";
beforeEach(async () => {
  scratch = scratchDirectory();
  cwd = realpathSync(scratch.path);
  daemon = await startTestDaemon({ document: { version: 1, defaults: { security: "full", ask: "off" } } });
});
afterEach(async () => {
  await daemon.stop();
  scratch.remove();
});

/** Each with words, output, error output and an end of its own. */
const command = (index: number): JsonObject => {
  const end = index % 5 === 0 ? "kill -9 $$" : `exit ${index % 100}`;
  return { argv: ["/bin/sh", "-c", `echo out$1; echo err$1 >&2; ulimit -Sn; ${end}`, "sh", String(index)], cwd };
};

async function crowd(gateway: Session, one: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next; index < RUNS; index = next) {
      next += 1;
      await one(index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  gateway.close();
}

describe("in a crowd", () => {
  test("every run has its own output and its own end, starts with the same limits, and leaves no zombie", async () => {
    const gateway = await openSession(daemon, "gateway");
    const limits = new Set<string>();
    await crowd(gateway, async (index) => {
      const { stdout, stderr, exitCode, signal, enforcement, escaped } = await gateway.must("system.run", command(index));
      const [line, limit = ""] = typeof stdout === "string" ? stdout.split("\n") : [];
      limits.add(limit);
      const end = index % 5 === 0 ? { exitCode: null, signal: "SIGKILL" } : { exitCode: index % 100, signal: null };
      expect({ line, stderr, exitCode, signal, enforcement, escaped }).toEqual({
        line: `out${index}`,
        stderr: `err${index}\n`,
        ...end,
        enforcement: "sealed",
        escaped: [],
      });
    });
    expect([...limits]).toHaveLength(1);
    expect(await until(() => childrenOf(daemon.process.pid ?? 0).length === 0, 5000)).toBe(true);
  });

  test("whoever leaves while many are being started leaves nobody behind", async () => {
    for (let round = 0; round < 5; round += 1) {
      const gateway = await openSession(daemon, "gateway");
      const runs = Array.from({ length: AT_ONCE }, () => gateway.call("system.run", { argv: ["/bin/sleep", "60"], cwd }).catch(() => null));
      // In the middle of it: some run, some are being started, some wait for the disk.
      await until(() => workingIn(cwd).length > round * 8, 5000);
      gateway.close();
      await Promise.all(runs);
      expect(await until(() => workingIn(cwd).length === 0, 5000)).toBe(true);
    }
    expect(await until(() => childrenOf(daemon.process.pid ?? 0).length === 0, 5000)).toBe(true);
  });

  test("the end of what a run left behind is the end of the list that it stands in, and nothing of it comes later", async () => {
    const gateway = await openSession(daemon, "gateway");
    for (let round = 0; round < 3; round += 1) {
      const left = "sleep 131 || sleep 132 || touch went-on & true";
      const answers = await Promise.all(Array.from({ length: 24 }, () => gateway.must("system.run", { command: left, cwd })));
      for (const { exitCode, stderr } of answers) expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(workingIn(cwd)).toEqual([]);
    }
    expect(existsSync(join(cwd, "went-on"))).toBe(false);
    gateway.close();
  });

  test("orphans are buried while others are being started", async () => {
    const gateway = await openSession(daemon, "gateway");
    const parent = daemon.process.pid ?? 0;
    const argv = ["/bin/sh", "-c", "(/bin/true &) ; (/bin/true &) ; (/bin/true &)"];
    let most = 0;
    await crowd(gateway, async (index) => {
      await gateway.must("system.run", { argv, cwd });
      if (index % 32 === 0) most = Math.max(most, childrenOf(parent).length);
    });
    // Three for each of those under way is what may be there at a time; all together left three times as many as that.
    expect(most).toBeLessThan(4 * AT_ONCE);
    expect(await until(() => childrenOf(parent).length === 0, 5000)).toBe(true);
  });
});

/** Zombies too. */
function childrenOf(parent: number): readonly number[] {
  return pids().filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
    } catch {
      return false;
    }
  });
}
