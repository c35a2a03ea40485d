import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { text } from "./attacks/attack.ts";
import { startTestDaemon, type TestDaemon } from "./support/daemon.ts";
import { CAN_LIMIT, DISK_KINDS, type SmallDisk, smallDisk } from "./support/full-disk.ts";
import { type Scratch, scratchDirectory } from "./support/scratch.ts";
import { approve, attachOperator, openSession } from "./support/session.ts";
import { tryStart } from "./support/try-start.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(() => scratch.remove());

describe("a document that was cut", () => {
  const FREE = { version: 1, defaults: { security: "full", ask: "off" }, agents: { main: { allowlist: [{ pattern: "/usr/bin/touch" }] } } };

  test("at any byte that leaves it incomplete: state.corrupt, nothing runs, and the file stays as it is", async () => {
    const daemon = await startTestDaemon({ document: FREE });
    try {
      const path = join(daemon.stateDir, "exec-approvals.json");
      const whole = readFileSync(path);
      const gateway = await openSession(daemon, "gateway");
      const mark = join(scratch.path, "mark");
      const run = { argv: ["/usr/bin/touch", mark], cwd: "/" };
      const end = whole.toString("utf8").trimEnd().length;
      for (let bytes = 0; bytes < end; bytes += 1) {
        writeFileSync(`${path}.cut`, whole.subarray(0, bytes), { mode: 0o600 });
        renameSync(`${path}.cut`, path);
        const answer = await gateway.call("system.run", run);
        expect(answer.ok ? "it ran" : answer.code, `cut after ${bytes} bytes`).toBe("state.corrupt");
        expect(readFileSync(path).equals(whole.subarray(0, bytes)), `cut after ${bytes} bytes`).toBe(true);
      }
      expect(existsSync(mark)).toBe(false);
      writeFileSync(`${path}.cut`, whole, { mode: 0o600 });
      renameSync(`${path}.cut`, path);
      expect((await gateway.call("system.run", run)).ok).toBe(true);
      gateway.close();
    } finally {
      await daemon.stop();
    }
  });

  test.each([0, 1, 20, 60, 100])(
    "after %i bytes, before the start: the daemon does not start, and the file stays as it is",
    async (bytes) => {
      const stateDir = join(scratch.path, "state");
      const path = join(stateDir, "exec-approvals.json");
      const cut = Buffer.from(JSON.stringify(FREE)).subarray(0, bytes);
      mkdirSync(stateDir, { mode: 0o700 });
      writeFileSync(path, cut, { mode: 0o600 });
      const start = await tryStart({ stateDir });
      if ("running" in start) await start.running.stop();
      expect("running" in start ? "started" : start.exitCode).toBe(78);
      expect(readFileSync(path).equals(cut)).toBe(true);
    },
  );
});

describe.runIf(CAN_LIMIT).each(DISK_KINDS)("a full disk, by %s (where prlimit is installed)", (kind) => {
  let disk: SmallDisk;
  let daemon: TestDaemon;
  const APPROVALS = 24;

  beforeEach(async () => {
    disk = smallDisk(kind);
    daemon = await startTestDaemon({ stateDir: disk.stateDir });
  });
  afterEach(async () => {
    await daemon.stop();
    disk.remove();
  });
  const pid = (): number => daemon.process.pid ?? 0;

  test("while approving: an error, and the question is still open afterwards", async () => {
    const gateway = await openSession(daemon, "gateway");
    const operator = await attachOperator(daemon);
    const ids: string[] = [];
    for (let index = 0; index < APPROVALS; index += 1) {
      const asked = await gateway.must("exec.approval.request", { argv: ["/usr/bin/true", String(index)], cwd: "/", twoPhase: true });
      ids.push(text(asked["id"]));
    }
    disk.fill(pid());
    const decided: string[] = [];
    const refused: string[] = [];
    for (const id of ids) {
      const answer = await operator.call("exec.approval.resolve", { id, decision: "allow-once" });
      if (answer.ok) decided.push(id);
      else refused.push(answer.code);
    }
    expect(new Set(refused)).toEqual(new Set(["state.io"]));
    disk.relieve(pid());
    await daemon.kill();
    daemon = await startTestDaemon({ stateDir: disk.stateDir });
    const after = await attachOperator(daemon);
    for (const id of ids) {
      const { state } = await after.must("exec.approval.get", { id });
      expect([id, state]).toEqual([id, decided.includes(id) ? "allowed" : "pending"]);
    }
    expect(await after.must("audit.verify")).toMatchObject({ problems: [] });
    after.close();
  });

  test("while consuming: an error, nothing runs, and the approval is still there afterwards", async () => {
    const gateway = await openSession(daemon, "gateway");
    const operator = await attachOperator(daemon);
    const file = join(scratch.path, "ran");
    writeFileSync(file, "");
    const runs = await Promise.all(
      Array.from({ length: APPROVALS }, async (_, index) => {
        const params = { argv: ["/usr/bin/tee", "-a", file], stdin: `${index}\n`, cwd: "/" };
        return {
          line: String(index),
          params: { ...params, approvalId: await approve(gateway, operator, { ...params, approvalTimeoutMs: 600_000 }) },
        };
      }),
    );
    disk.fill(pid());
    const ran: string[] = [];
    const codes = new Set<string>();
    for (const { line, params } of runs) {
      const answer = await gateway.call("system.run", params);
      if (answer.ok) ran.push(line);
      else codes.add(answer.code);
    }
    expect(codes).toEqual(new Set(["state.io"]));
    expect(linesOf(file)).toEqual(ran);
    disk.relieve(pid());
    for (const { line, params } of runs) if (!ran.includes(line)) await gateway.must("system.run", params);
    expect(linesOf(file).toSorted()).toEqual(runs.map(({ line }) => line).toSorted());
    expect(await operator.must("audit.verify")).toMatchObject({ verdict: "intact", problems: [] });
  });

  test("while nothing but the log is written: what is allowed by policy does not run unrecorded", async () => {
    const operator = await attachOperator(daemon);
    const { hash } = await operator.must("exec.approvals.get");
    await operator.must("exec.approvals.patch", { baseHash: text(hash), agentId: "main", add: ["/usr/bin/tee"] });
    const gateway = await openSession(daemon, "gateway");
    const file = join(scratch.path, "ran");
    writeFileSync(file, "");
    disk.fill(pid());
    const ran: string[] = [];
    const codes = new Set<string>();
    for (let index = 0; index < APPROVALS; index += 1) {
      const answer = await gateway.call("system.run", { argv: ["/usr/bin/tee", "-a", file], stdin: `${index}\n`, cwd: "/" });
      if (answer.ok) ran.push(String(index));
      else codes.add(answer.code);
    }
    expect(codes).toEqual(new Set(["state.io"]));
    expect(linesOf(file)).toEqual(ran);
    disk.relieve(pid());
    expect((await gateway.call("system.run", { argv: ["/usr/bin/tee", "-a", file], stdin: "later\n", cwd: "/" })).ok).toBe(true);
    const { records } = await operator.must("audit.tail", { limit: 500 });
    const started = Array.isArray(records) ? records.filter((record) => JSON.stringify(record).includes("run.starting")).length : 0;
    expect(started).toBe(ran.length + 1);
  });
});

function linesOf(file: string): readonly string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
