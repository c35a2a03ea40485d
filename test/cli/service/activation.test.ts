import { spawn } from "node:child_process";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countersign } from "../../support/countersign.ts";
import { MAIN } from "../../support/program.ts";
import { scratchDirectory } from "../../support/scratch.ts";
import { canRun } from "../../support/tmux.ts";

test.runIf(canRun("systemd-socket-activate", ["--version"]))(
  "the first connection starts the daemon on the unit's socket, and stopping it leaves that socket to the unit (needs systemd-socket-activate)",
  async () => {
    const scratch = scratchDirectory();
    const stateDir = join(scratch.path, "state");
    const socket = join(stateDir, "exec-approvals.sock");
    const env = { PATH: process.env["PATH"] ?? "", HOME: scratch.path };
    await countersign(["init", "--state-dir", stateDir], { env });
    const asRoot = process.getuid?.() === 0 ? ["--allow-root"] : [];
    const words = ["-l", socket, "-E", "HOME", "-E", "PATH", process.execPath, MAIN, "daemon", "--state-dir", stateDir, ...asRoot];
    const unit = spawn("systemd-socket-activate", words, { env, stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    unit.stderr.on("data", (bytes: Buffer) => {
      log += bytes.toString("utf8");
    });
    const ended = new Promise<number | null>((settle) => unit.on("close", settle));
    try {
      await expect.poll(() => log, { timeout: 10_000 }).toContain("Listening on");
      const { exitCode, stdout } = await countersign(["status", "--state-dir", stateDir], { env });
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining("countersign")]);
      expect(log).toContain("from systemd");
    } finally {
      unit.kill("SIGTERM");
      expect(await ended).toBe(0);
      expect(lstatSync(socket).isSocket()).toBe(true);
      scratch.remove();
    }
  },
);
