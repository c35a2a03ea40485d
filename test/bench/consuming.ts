/** Verifying and consuming at 64 waiting, with nothing started, against a plain log that is synced once for each. */
import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { RunStarting } from "../../src/approvals/events.ts";
import type { Asked } from "../../src/binding/binding.ts";
import { bindingOf, boundParts } from "../../src/binding/binding.ts";
import type { Evidence } from "../../src/binding/evidence.ts";
import { type Permit, verify } from "../../src/binding/verify.ts";
import { parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { toArgv } from "../../src/core/argv.ts";
import { toEnvironment } from "../../src/core/environment.ts";
import { type ApprovalId, isAgentId, isApprovalId, isRunId } from "../../src/core/ids.ts";
import { ok } from "../../src/core/result.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { type ApprovalDesk, createApprovalDesk } from "../../src/daemon/approval-desk.ts";
import { openLedger } from "../../src/daemon/open-ledger.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { atLeast, type Finding, median } from "./numbers.ts";

const ROUNDS = 9;
const OPERATIONS = 2048;
const WAITING = 64;

export async function measureConsuming(): Promise<Finding> {
  const scratch = scratchDirectory();
  try {
    const directory = join(scratch.path, "audit");
    mkdirSync(directory, { mode: 0o700 });
    const opened = await openLedger(directory);
    if (!opened.ok) throw new Error(opened.failure.message);
    const { journal, ledger, clock } = opened.value;
    const desk = createApprovalDesk({ ledger, clock, newId, append: (event) => journal.append(event), tell: () => {} });
    const rates: { ours: number[]; plain: number[] } = { ours: [], plain: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const ids = await allowed(desk, round);
      const ours = (): Promise<number> => perSecond(async () => consumeAll(desk, ids));
      const plain = (): Promise<number> => perSecond(async () => syncEach(join(scratch.path, `plain-${round}`)));
      // They take turns in coming first.
      const [first, second] = round % 2 === 0 ? [await ours(), await plain()] : [await plain(), await ours()];
      // The first round is the compiler's.
      if (round === 0) continue;
      rates.ours.push(round % 2 === 0 ? first : second);
      rates.plain.push(round % 2 === 0 ? second : first);
    }
    desk.stop();
    await journal.close();
    // Round by round, so that a busy second of the disk's is both of theirs.
    const ratio = median(rates.ours.map((rate, round) => rate / (rates.plain[round] ?? Number.NaN)));
    const detail = `${median(rates.ours).toFixed(0)} /s against ${median(rates.plain).toFixed(0)} /s`;
    return atLeast("verify and consume at 64 waiting ÷ one sync each", ratio, 8, "×", detail);
  } finally {
    scratch.remove();
  }
}

function newId(): ApprovalId {
  const id = randomUUID();
  if (!isApprovalId(id)) throw new Error("a UUID is no id");
  return id;
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (OPERATIONS * 1000) / (performance.now() - begun);
}

const { asked, evidence, permit, binding } = theCommand();

function theCommand(): { readonly asked: Asked; readonly evidence: Evidence; readonly permit: Permit; readonly binding: string } {
  const [path, cwd] = [parseAbsolutePath("/usr/bin/true"), parseAbsolutePath("/")];
  const argv = toArgv(["/usr/bin/true"]);
  const agentId = "main";
  if (!path.ok || !cwd.ok || argv === null || !isAgentId(agentId)) throw new Error("not a command");
  const made: Asked = {
    argv,
    agentId,
    sessionKey: "",
    stdin: { bytes: 0, sha256: null },
    environment: toEnvironment(new Map([["PATH", "/usr/bin"]])),
  };
  const found: Evidence = {
    cwd: { path: cwd.value, device: "1", inode: "2" },
    executable: { path: path.value, sha256: sha256Of("true") },
    nested: [],
    files: [],
  };
  const parts = boundParts(made, found);
  const whole = bindingOf(parts);
  return {
    asked: made,
    evidence: found,
    permit: { kind: "approval", binding: whole, parts, cwd: { device: "1", inode: "2" } },
    binding: whole,
  };
}

async function allowed(desk: ApprovalDesk, round: number): Promise<readonly ApprovalId[]> {
  const one = async (index: number): Promise<ApprovalId> => {
    const agentId = `agent-${round}-${Math.floor(index / 25)}`;
    if (!isAgentId(agentId)) throw new Error("not an agent");
    const question = {
      credential: "gateway",
      agentId,
      requestKey: null,
      binding,
      sessionKey: "",
      command: "/usr/bin/true",
      timeoutMs: 3_600_000,
    };
    const asking = await desk.request({
      ...question,
      hasRoute: true,
      keep: () => Promise.resolve(ok(sha256Of("record"))),
    });
    if (!asking.ok) throw new Error(asking.failure.message);
    const { id } = asking.value.approval;
    const answer = {
      decision: "allow-once",
      by: "operator",
      reason: null,
      before: () => Promise.resolve(ok(undefined)),
    } as const;
    const resolved = await desk.resolve(id, answer);
    if (!resolved.ok) throw new Error(resolved.failure.message);
    return id;
  };
  const ids: ApprovalId[] = [];
  for (let from = 0; from < OPERATIONS; from += WAITING)
    ids.push(...(await Promise.all(Array.from({ length: WAITING }, (_, at) => one(from + at)))));
  return ids;
}

async function consumeAll(desk: ApprovalDesk, ids: readonly ApprovalId[]): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let id = ids[next]; id !== undefined; id = ids[next]) {
      next += 1;
      const starting = startingFor(id);
      if (!verify(permit, starting.runId, { kind: "nothing" }, asked, evidence).ok) throw new Error("not verified");
      const spent = await desk.spend(id, () => starting);
      if (!spent.ok) throw new Error(spent.failure.message);
    }
  };
  await Promise.all(Array.from({ length: WAITING }, worker));
}

function startingFor(approvalId: ApprovalId): RunStarting {
  const runId = randomUUID();
  if (!isRunId(runId)) throw new Error("a UUID is no id");
  const who = { credential: "gateway", agentId: asked.agentId, sessionKey: "" };
  return {
    type: "run.starting",
    runId,
    ...who,
    binding,
    command: "/usr/bin/true",
    decidedBy: "allow-once",
    approvalId,
    token: null,
    grants: [],
  };
}

async function syncEach(path: string): Promise<void> {
  const fd = openSync(path, "a", 0o600);
  for (let index = 0; index < OPERATIONS; index += 1) {
    const starting = startingFor(newId());
    verify(permit, starting.runId, { kind: "nothing" }, asked, evidence);
    writeSync(fd, `${JSON.stringify(starting)}\n`);
    fsyncSync(fd);
  }
  closeSync(fd);
}
