/** Files, settings, crowds and endings. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Code } from "../../src/core/codes.ts";
import { CAN_LIMIT, smallDisk } from "../support/full-disk.ts";
import { until } from "../support/processes.ts";
import { codeOf } from "./bench.ts";
import type { Provocation, Provocations } from "./provocations.ts";

const TRUE = { argv: ["/usr/bin/true"], cwd: "/" };
type Rest = Provocations<"state." | "config."> & Readonly<Record<Extract<Code, "overloaded" | "shutting-down" | "internal">, Provocation>>;

export const STATE: Rest = {
  "state.corrupt": async ({ other }) => {
    const { daemon, gateway } = await other({});
    writeFileSync(join(daemon.stateDir, "exec-approvals.json"), "{");
    return codeOf(await gateway.call("system.run", TRUE));
  },
  "state.conflict": async ({ operator }) =>
    codeOf(await operator.call("exec.approvals.set", { document: { version: 1 }, baseHash: "0".repeat(64) })),
  "state.io": CAN_LIMIT
    ? async ({ other }) => {
        const disk = smallDisk();
        try {
          const { daemon, gateway } = await other({
            stateDir: disk.stateDir,
            document: { version: 1, defaults: { security: "full", ask: "off" } },
          });
          disk.fill(daemon.process.pid ?? 0);
          let answer = await gateway.call("system.run", TRUE);
          for (let more = 0; answer.ok && more < 100; more += 1) answer = await gateway.call("system.run", TRUE);
          disk.relieve(daemon.process.pid ?? 0);
          await daemon.stop();
          return codeOf(answer);
        } finally {
          disk.remove();
        }
      }
    : { cannot: "prlimit is not installed, and only root can mount a small disk" },
  "config.invalid": async ({ gateway }) => codeOf(await gateway.call("system.run", { ...TRUE, agentId: "runas" })),
  overloaded: async ({ gateway, agent }) => {
    const asking = { ...TRUE, agentId: agent(), twoPhase: true };
    const answers = await Promise.all(Array.from({ length: 31 }, () => gateway.call("exec.approval.request", asking)));
    const refused = answers.find((answer) => !answer.ok);
    return refused === undefined ? "all were taken" : codeOf(refused);
  },
  "shutting-down": async ({ other }) => {
    const { daemon, gateway } = await other({ document: { version: 1, defaults: { security: "full", ask: "off" } } });
    const running = gateway.call("system.run", { argv: ["/bin/sleep", "1"], cwd: "/" });
    await until(async () => JSON.stringify((await gateway.must("status"))["counts"]).includes('"running":1'), 2000);
    daemon.process.kill("SIGTERM");
    await until(async () => !(await gateway.call("system.run.prepare", TRUE)).ok, 1000);
    const answer = await gateway.call("system.run", TRUE);
    await running;
    return codeOf(answer);
  },
  internal: { cannot: "it stands for a mistake of our own, and none is known" },
};
