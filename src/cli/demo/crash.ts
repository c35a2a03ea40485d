/** The daemon dies at the worst instant, between consumption and start; and then the log is put to the test. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { verifyChain } from "../../audit/verify-chain.ts";
import { DEMO_DAEMON_READY_WITHIN_MS } from "../../core/limits.ts";
import { approvedOnce, claim, NotAsClaimed, type Players, refusal, runWith, type Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { deploy } from "./story.ts";

/** The daemon of this scene was started to hold still after consumption; `restart` gives the one that takes over. */
export function crashScene(restart: () => Promise<Players>): Scene {
  return {
    title: "the daemon is killed with SIGKILL between consumption and start",
    async play(players) {
      const { stage, agent, daemon } = players;
      const before = stage.runs();
      const id = await approvedOnce(players, deploy(stage));
      const cutOff = runWith(agent, deploy(stage), id).then(
        () => "it was told that it ran",
        () => "",
      );
      await appears(stage.heldMark);
      await daemon.kill();
      const told = await cutOff;
      claim(told === "", told);

      const after = await restart();
      const { state, runId } = await after.operator.call("exec.approval.get", { id });
      claim(state === "consumed", `after the restart it is ${state}`);
      const { records } = await after.operator.call("audit.tail", { limit: 50 });
      const lost = records.find(({ type, approvalId }) => type === "run.lost" && approvalId === id);
      claim(lost !== undefined && lost["runId"] === runId, "the run is not reported as lost");
      await refusal(runWith(after.agent, deploy(stage), id), "approval.consumed");
      claim(stage.runs() === before, "it ran");
      return {
        says: "after the restart it is consumed, was not run, and is reported as lost; using it again is refused",
        code: "approval.consumed",
      };
    },
  };
}

export const LOG_VERIFIES: Scene = {
  title: "the audit chain is verified",
  async play({ operator }) {
    const { verdict, records } = await operator.call("audit.verify");
    claim(verdict === "intact", `the chain is ${verdict}`);
    return { says: `intact, ${records} records` };
  },
};

/** Plays without a daemon: the files alone must give the forger away. */
export const ONE_BYTE_IS_FOUND: Scene = {
  title: "one byte of one record is edited",
  async play({ stage }) {
    const { path, line } = editOneByte(stage);
    const { verdict, problems } = await verifyChain(join(stage.stateDir, "audit"));
    const [problem] = problems;
    claim(verdict === "tampered" && problem !== undefined, `the chain is ${verdict}`);
    claim(problem?.line === line, `line ${line} was edited and line ${problem?.line} is named`);
    return { says: `found: ${problem?.segment}, line ${problem?.line}, ${problem?.what}`, field: path };
  },
};

function editOneByte(stage: Stage): { readonly path: string; readonly line: number } {
  const directory = join(stage.stateDir, "audit");
  const name = readdirSync(directory).find((candidate) => candidate.endsWith(".jsonl"));
  if (name === undefined) throw new NotAsClaimed("there is no log to edit");
  const path = join(directory, name);
  const lines = readFileSync(path, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('"approval.decided"') && line.includes("allow-once"));
  claim(at >= 0, "no decision is in the log");
  // The forger would rather have it that somebody else allowed this.
  lines[at] = (lines[at] ?? "").replace('"by":"o', '"by":"0');
  writeFileSync(path, lines.join("\n"));
  return { path, line: at + 1 };
}

async function appears(path: string): Promise<void> {
  for (const deadline = Date.now() + DEMO_DAEMON_READY_WITHIN_MS; Date.now() < deadline; await sleep(10)) if (existsSync(path)) return;
  throw new NotAsClaimed("the daemon never came to consumption");
}
