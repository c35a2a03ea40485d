import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { attachOperator, openSession, type Session } from "../support/session.ts";

let daemon: TestDaemon;
let operator: Session;
let gateway: Session;
beforeAll(async () => {
  daemon = await startTestDaemon();
  operator = await attachOperator(daemon);
  gateway = await openSession(daemon, "gateway");
});
afterAll(async () => {
  operator.close();
  gateway.close();
  await daemon.stop();
});

/** What the daemon has open, by where each descriptor leads. */
function openInDaemon(): readonly string[] {
  const directory = `/proc/${daemon.process.pid}/fd`;
  return readdirSync(directory).flatMap((fd) => {
    try {
      return [readlinkSync(join(directory, fd))];
    } catch {
      return [];
    }
  });
}

async function pendingId(): Promise<string> {
  for (;;) {
    const { approvals } = await operator.must("exec.approval.list", { state: "pending" });
    const [first] = Array.isArray(approvals) ? approvals : [];
    if (typeof first === "object" && first !== null && "id" in first && typeof first.id === "string") return first.id;
    await sleep(10);
  }
}

test.runIf(process.getuid?.() === 0)("nothing of a command is kept open while a person thinks about it (needs root to look)", async () => {
  const script = join(daemon.home, "slow-answer.sh");
  writeFileSync(script, "echo answered\n");
  const running = gateway.call("system.run", { argv: ["sh", script], cwd: daemon.home, wait: true });
  const id = await pendingId();
  expect(openInDaemon().filter((where) => where.includes("slow-answer.sh") || where === daemon.home)).toEqual([]);
  await operator.must("exec.approval.resolve", { id, decision: "allow-once" });
  expect(await running).toMatchObject({ ok: true, result: { exitCode: 0, stdout: "answered\n" } });
});
