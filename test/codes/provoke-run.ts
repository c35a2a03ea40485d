/** What was found is not what was approved; and what cannot be run at all. */
import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, copyFileSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json.ts";
import { CAN_LIMIT } from "../support/full-disk.ts";
import { approve } from "../support/session.ts";
import { type Bench, codeOf } from "./bench.ts";
import type { Provocations } from "./provocations.ts";
import { mintedFor } from "./provoke-approval.ts";

const ECHO = { argv: ["/usr/bin/echo", "a"] };
const STARTED = "a run that was started is told about with a result; a refusal says that nothing was";

export const RUNNING: Provocations<"binding." | "env." | "exec." | "display."> = {
  "binding.argv-differs": ({ approvedThenRun }) => approvedThenRun(ECHO, { argv: ["/usr/bin/echo", "b"] }),
  "binding.cwd-differs": ({ approvedThenRun }) => approvedThenRun(ECHO, { cwd: "/" }),
  "binding.env-differs": ({ approvedThenRun }) => approvedThenRun({ ...ECHO, env: { LANG: "C" } }, { env: { LANG: "C.UTF-8" } }),
  "binding.agent-differs": ({ approvedThenRun }) => approvedThenRun(ECHO, { agentId: "somebody-else" }),
  "binding.session-differs": ({ approvedThenRun }) => approvedThenRun({ ...ECHO, sessionKey: "a" }, { sessionKey: "b" }),
  "binding.executable-differs": async (bench) => {
    const path = bench.script("#!/bin/sh\nexit 0\n");
    const asked = { argv: [path], cwd: "/", agentId: bench.agent() };
    const approvalId = await approved(bench, asked);
    writeFileSync(path, "#!/bin/sh\nexit 1\n");
    return codeOf(await bench.gateway.call("system.run", { ...asked, approvalId }));
  },
  "binding.file-differs": async (bench) => {
    const path = bench.script("exit 0\n");
    const asked = { argv: ["/bin/sh", path], cwd: "/", agentId: bench.agent() };
    const approvalId = await approved(bench, asked);
    writeFileSync(path, "exit 1\n");
    return codeOf(await bench.gateway.call("system.run", { ...asked, approvalId }));
  },
  "binding.nested-differs": async (bench) => {
    const interpreter = bench.script("#!/bin/sh\nexit 0\n", "interpreter");
    const path = bench.script(`#!${interpreter}\n`);
    const asked = { argv: [path], cwd: "/", agentId: bench.agent() };
    const approvalId = await approved(bench, asked);
    writeFileSync(interpreter, "#!/bin/sh\nexit 1\n");
    return codeOf(await bench.gateway.call("system.run", { ...asked, approvalId }));
  },
  "binding.stdin-differs": ({ approvedThenRun }) => approvedThenRun({ ...ECHO, stdin: "a" }, { stdin: "b" }),
  "binding.differs": async (bench) => {
    const approvalToken = await mintedFor(bench, `sha256:${"0".repeat(64)}`);
    return codeOf(await bench.gateway.call("system.run", { ...ECHO, cwd: "/", agentId: bench.agent(), approvalToken }));
  },
  "binding.unavailable": async ({ gateway, agent }) =>
    codeOf(await gateway.call("system.run.prepare", { argv: ["/bin/sh", "/no-such-place/s.sh"], cwd: "/", agentId: agent() })),

  "env.forbidden": async ({ gateway }) =>
    codeOf(await gateway.call("system.run", { ...ECHO, cwd: "/", agentId: "free", env: { LD_PRELOAD: "x" } })),
  "env.invalid": async ({ gateway }) =>
    codeOf(await gateway.call("system.run", { ...ECHO, cwd: "/", agentId: "free", env: { "A=B": "x" } })),

  "exec.not-found": async ({ gateway }) =>
    codeOf(await gateway.call("system.run", { argv: ["/no-such-place/tool"], cwd: "/", agentId: "free" })),
  "exec.not-executable": async ({ gateway, script }) => {
    const path = script("#!/bin/sh\n");
    chmodSync(path, 0o644);
    return codeOf(await gateway.call("system.run", { argv: [path], cwd: "/", agentId: "free" }));
  },
  "exec.cwd-invalid": async ({ gateway }) => codeOf(await gateway.call("system.run", { ...ECHO, cwd: "/no-such-place", agentId: "free" })),
  "exec.spawn-failed": CAN_LIMIT
    ? async ({ other }) => {
        // execve(2) takes a quarter of the stack's limit for arguments and environment together, and no more.
        const { daemon, gateway } = await other({ document: { version: 1, defaults: { security: "full", ask: "off" } } });
        spawnSync("prlimit", ["--pid", String(daemon.process.pid), "--stack=524288:"]);
        const env = { ONE: "a".repeat(120_000), TWO: "b".repeat(120_000) };
        return codeOf(await gateway.call("system.run", { ...ECHO, cwd: "/", env }));
      }
    : { cannot: "prlimit is not installed" },
  "exec.enforcement-too-low": async ({ other }) => {
    const free = { version: 1, defaults: { security: "full", ask: "off" } };
    const settings = { tools: { exec: { minEnforcement: "sealed" } } };
    const { gateway } = await other({ document: free, settings, env: { COUNTERSIGN_NATIVE: "off" } });
    return codeOf(await gateway.call("system.run", { ...ECHO, cwd: "/" }));
  },
  "exec.changed-after-start": async ({ other, directory }) => {
    // Without native code there is no lease and no sealed copy: what somebody holds open for writing is not started.
    const { gateway } = await other({
      document: { version: 1, defaults: { security: "full", ask: "off" } },
      env: { COUNTERSIGN_NATIVE: "off" },
    });
    const path = join(directory(), "tool");
    copyFileSync(realpathSync("/usr/bin/true"), path);
    const writer = openSync(path, "r+");
    try {
      return codeOf(await gateway.call("system.run", { argv: [path], cwd: "/" }));
    } finally {
      closeSync(writer);
    }
  },
  "exec.unknown-run": async ({ gateway }) =>
    codeOf(await gateway.call("system.run.cancel", { runId: "00000000-0000-4000-8000-000000000000" })),
  "exec.cancelled": { cannot: "it is what becomes of a run whose caller has gone before the start: nobody is left to hear it" },
  "exec.timed-out": { cannot: STARTED },
  "display.too-long": async ({ gateway, agent }) => {
    const argv = ["/usr/bin/echo", "a".repeat(70_000)];
    return codeOf(await gateway.call("system.run.prepare", { argv, cwd: "/", agentId: agent() }));
  },
};

function approved({ gateway, operator }: Bench, params: JsonObject): Promise<string> {
  return approve(gateway, operator, params);
}
