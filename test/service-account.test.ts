import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadNative } from "../src/native/libc.ts";
import { countersign, type Ended } from "./support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "./support/daemon.ts";
import { MAIN } from "./support/program.ts";
import { type Scratch, scratchDirectory } from "./support/scratch.ts";

const AGENT = 65534;
const hasAgent = /^nobody:[^:]*:65534:65534:/m.test(readFileSync("/etc/passwd", "utf8"));

/** The strong deployment of docs/service-account.md, in a scratch directory: the daemon is one account and the agent another. */
describe.runIf(process.getuid?.() === 0 && loadNative() !== null && hasAgent)(
  "with an account for the daemon and one for the agent (needs root)",
  () => {
    let scratch: Scratch;
    let daemon: TestDaemon;
    let token: string;
    const socketPath = (): string => join(scratch.path, "run/exec-approvals.sock");

    beforeEach(async () => {
      scratch = scratchDirectory();
      chmodSync(scratch.path, 0o711);
      for (const [name, mode] of [
        ["state", 0o700],
        ["run", 0o711],
        ["work", 0o755],
      ] as const)
        mkdirSync(join(scratch.path, name), { mode });
      chownSync(join(scratch.path, "work"), AGENT, AGENT);
      token = join(scratch.path, "work/gateway.token");
      const document = { version: 1, socket: { path: socketPath(), token: "t".repeat(32), allowUids: [AGENT] } };
      writeFileSync(join(scratch.path, "state/exec-approvals.json"), JSON.stringify(document), { mode: 0o600 });
      daemon = await startTestDaemon({
        stateDir: join(scratch.path, "state"),
        settings: { tools: { exec: { runAs: "nobody" } } },
        args: ["--allow-unattended"],
      });
      const issued = await countersign([
        "token",
        "issue",
        "--state-dir",
        daemon.stateDir,
        "--role",
        "gateway",
        "--for-uid",
        String(AGENT),
        "--out",
        token,
      ]);
      expect(issued.exitCode).toBe(0);
    });
    afterEach(async () => {
      await daemon.stop();
      scratch.remove();
    });

    /** The agent itself: a process of its own account, with its own token and nothing else. */
    function agent(words: readonly string[], program = [process.execPath, MAIN]): ChildProcess {
      const [file = "", ...rest] = [...program, ...words];
      const env = {
        PATH: process.env["PATH"] ?? "",
        HOME: join(scratch.path, "work"),
        COUNTERSIGN_SOCKET: socketPath(),
        COUNTERSIGN_TOKEN_FILE: token,
      };
      return spawn(file, rest, { uid: AGENT, gid: AGENT, cwd: join(scratch.path, "work"), env, stdio: ["ignore", "pipe", "pipe"] });
    }
    function ended(child: ChildProcess): Promise<Pick<Ended, "exitCode" | "stdout" | "stderr">> {
      let [stdout, stderr] = ["", ""];
      child.stdout?.on("data", (bytes: Buffer) => {
        stdout += bytes.toString("utf8");
      });
      child.stderr?.on("data", (bytes: Buffer) => {
        stderr += bytes.toString("utf8");
      });
      return new Promise((settle) => child.on("close", (exitCode) => settle({ exitCode, stdout, stderr })));
    }
    const operator = (...words: readonly string[]): Promise<Ended> => countersign([...words, "--state-dir", daemon.stateDir]);

    test("what the operator allows runs as the agent's account", async () => {
      const asking = ended(agent(["run", "--wait", "--", "id", "-un"]));
      await expect.poll(async () => (await operator("pending", "--json")).stdout, { timeout: 10_000 }).toContain('"id -un"');
      const { approvals }: { approvals: readonly { id: string; requester: { uid: number } }[] } = JSON.parse(
        (await operator("pending", "--json")).stdout,
      );
      expect(approvals[0]?.requester.uid).toBe(AGENT);
      await operator("approve", approvals[0]?.id ?? "");
      expect(await asking).toMatchObject({ exitCode: 0, stdout: "nobody\n" });
    });

    test("the agent cannot answer its own question, with its own token or with any it can find", async () => {
      const asking = agent(["run", "--wait", "--", "id"]);
      await expect.poll(async () => (await operator("pending", "--json")).stdout, { timeout: 10_000 }).toContain('"command":"id"');
      const { approvals }: { approvals: readonly { id: string }[] } = JSON.parse((await operator("pending", "--json")).stdout);
      const tried = await ended(agent(["approve", approvals[0]?.id ?? ""]));
      expect(tried.exitCode).toBe(77);
      expect(
        (await ended(agent(["-c", `cat ${daemon.stateDir}/operator.token ${daemon.stateDir}/exec-approvals.json`], ["/bin/sh"]))).stdout,
      ).toBe("");
      expect((await operator("pending")).stdout).toContain("id");
      asking.kill();
    });

    test("the agent can neither signal nor trace the daemon, nor take its socket's place", async () => {
      const pid = daemon.process.pid ?? 0;
      for (const attempt of [
        `kill -TERM ${pid}`,
        `cat /proc/${pid}/environ`,
        `rm ${socketPath()}`,
        `mv ${join(scratch.path, "run")} ${join(scratch.path, "gone")}`,
      ]) {
        expect((await ended(agent(["-c", attempt], ["/bin/sh"]))).exitCode).not.toBe(0);
      }
      expect((await operator("status")).exitCode).toBe(0);
    });

    test("an account that is not listed is turned away at the door, whatever it would have said", async () => {
      // Says nothing and listens: what comes is the daemon's own doing.
      const listen =
        'require("net").connect(process.argv[1]).on("data", (d) => process.stdout.write(d)).on("close", () => process.exit(7)); setTimeout(() => process.exit(8), 1000)';
      const as = (uid: number) =>
        ended(spawn(process.execPath, ["-e", listen, socketPath()], { uid, gid: uid, stdio: ["ignore", "pipe", "pipe"] }));
      expect(await as(12345)).toMatchObject({ exitCode: 7, stdout: expect.stringContaining("auth.peer-refused") });
      expect(await as(AGENT)).toMatchObject({ exitCode: 8, stdout: "" });
    });
  },
);
