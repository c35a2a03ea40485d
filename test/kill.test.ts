import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../src/core/json.ts";
import { createLoad } from "./kill/load.ts";
import { raceAll } from "./kill/racers.ts";
import { startTestDaemon } from "./support/daemon.ts";
import { until } from "./support/processes.ts";
import { type Scratch, scratchDirectory } from "./support/scratch.ts";
import { approve, attachOperator, openSession, type Session } from "./support/session.ts";

/** `make kill` plays the full size; the suite a smaller one. */
const full = process.env["KILL"] === "full";
const PROCESSES = 8;
const APPROVALS = full ? 100 : 40;
const CALLS = full ? 10_000 : 1_600;
const KILLS = full ? 200 : 40;
const MINUTES = 60_000;

const scratches: Scratch[] = [];
afterEach(() => {
  for (const scratch of scratches.splice(0)) scratch.remove();
});

function scratch(): string {
  const made = scratchDirectory();
  scratches.push(made);
  return made.path;
}

describe("once means once", () => {
  test(
    `of ${CALLS} racing runs by ${PROCESSES} processes on ${APPROVALS} approvals exactly ${APPROVALS} run`,
    async () => {
      const directory = scratch();
      const file = join(directory, "ran");
      appendFileSync(file, "");
      const daemon = await startTestDaemon();
      try {
        const gateway = await openSession(daemon, "gateway");
        const operator = await attachOperator(daemon);
        const runs: JsonObject[] = [];
        for (let index = 0; index < APPROVALS; index += 1) {
          const params = { argv: ["/usr/bin/tee", "-a", file], stdin: `line ${index}\n`, cwd: directory, agentId: `racer-${index % 8}` };
          runs.push({ ...params, approvalId: await approve(gateway, operator, { ...params, approvalTimeoutMs: 3_600_000 }) });
        }
        const tasks = Array.from({ length: PROCESSES }, (_, racer) => ({
          socketPath: daemon.socketPath,
          gatewayToken: daemon.gatewayToken,
          inFlight: 32,
          // Every process begins at the same approval, so that they meet on each of them.
          calls: Array.from({ length: CALLS / PROCESSES }, (_each, call) => runs[(call + (racer % 2)) % APPROVALS] ?? {}),
        }));
        const reports = await raceAll(tasks);

        const ran = reports.flatMap((report) => report.ran);
        const refusals = new Set(reports.flatMap(({ refused }) => Object.keys(refused)));
        const lines = readFileSync(file, "utf8").trimEnd().split("\n");
        expect(ran.length).toBe(APPROVALS);
        expect(new Set(ran).size).toBe(APPROVALS);
        expect([...refusals]).toEqual(["approval.consumed"]);
        expect(lines.toSorted()).toEqual(Array.from({ length: APPROVALS }, (_, index) => `line ${index}`).toSorted());
        expect(await operator.must("audit.verify")).toMatchObject({ verdict: "intact" });
        gateway.close();
        operator.close();
      } finally {
        await daemon.stop();
      }
    },
    10 * MINUTES,
  );

  test(
    `after SIGKILL at ${KILLS} random instants nothing ran twice, nothing decided is lost, and every request has its end`,
    async () => {
      const directory = scratch();
      const stateDir = join(directory, "state");
      const file = join(directory, "ran");
      appendFileSync(file, "");
      const load = createLoad(file);
      for (let round = 0; round < KILLS; round += 1) {
        const daemon = await startTestDaemon({ stateDir });
        const before = load.requests.length;
        const playing = load.play(daemon, round);
        // Mostly in the middle of the work, which on a slow machine takes a moment to begin; now and then while it begins.
        if (round % 5 > 0) await until(() => load.requests.length > before, 2000);
        await sleep(Math.random() * 100);
        await daemon.kill();
        await playing;
      }

      const daemon = await startTestDaemon({ stateDir });
      try {
        const operator = await attachOperator(daemon);
        const gateway = await openSession(daemon, "gateway");
        const lines = readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line !== "");
        expect(lines.length, "a command ran twice").toBe(new Set(lines).size);
        expect(load.requests.length).toBeGreaterThan(KILLS);

        const lost = lostRuns(await allRecords(operator));
        expect(lost.length, "no kill ever came in the middle of a run").toBeGreaterThan(0);
        for (const request of load.requests) {
          const { state, decision, runId } = await operator.must("exec.approval.get", { id: request.id });
          const ran = lines.includes(request.line);
          const what = `${request.line}: told ${request.told}, is ${JSON.stringify(state)}, ran ${ran}`;
          if (request.told === "denied") expect([state, decision], what).toEqual(["denied", "deny"]);
          if (request.told === "allowed")
            expect([decision, state === "allowed" || state === "consumed"], what).toEqual(["allow-once", true]);
          if (request.told === "ran") expect([state, ran], what).toEqual(["consumed", true]);
          if (ran) expect(state, what).toBe("consumed");
          // Used up and never seen to end: the log says so.
          if (state === "consumed" && !ran) expect(lost, what).toContain(runId);
          // What is left is still what it was: it can be answered, and used, now.
          if (state === "pending") await operator.must("exec.approval.resolve", { id: request.id, decision: "deny" });
          if (state === "allowed") await gateway.must("system.run", { ...request.params, approvalId: request.id });
        }
        const { verdict, problems } = await operator.must("audit.verify");
        expect([verdict, problems]).toEqual(["intact", []]);
        const ends = new Set<unknown>();
        for (const { id } of load.requests) ends.add((await operator.must("exec.approval.get", { id }))["state"]);
        expect([...ends].every((state) => state === "consumed" || state === "denied")).toBe(true);
        operator.close();
        gateway.close();
      } finally {
        await daemon.stop();
      }
    },
    10 * MINUTES,
  );
});

async function allRecords(operator: Session): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await operator.must("audit.tail", { limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    const { records, next } = page;
    if (Array.isArray(records)) found.unshift(...records.filter(isJsonObject));
    if (typeof next !== "string") return found;
    cursor = next;
  }
}

/** Every run that was begun has an end in the log: finished, or lost to a restart. */
function lostRuns(records: readonly JsonObject[]): readonly unknown[] {
  const ended = new Set(records.filter(({ type }) => type === "run.finished" || type === "run.lost").map(({ runId }) => runId));
  const begun = records.filter(({ type }) => type === "run.starting");
  expect(begun.filter(({ runId }) => !ended.has(runId))).toEqual([]);
  return records.filter(({ type, reason }) => type === "run.lost" && reason === "lost-to-restart").map(({ runId }) => runId);
}
