/** The story: one approval used once, four ways to cheat it, a race, a crash, and a log that cannot be changed unseen. */
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../client/client.ts";
import type { JsonObject } from "../../core/json.ts";
import { momentText } from "../moments.ts";
import { approvedOnce, claim, differing, NotAsClaimed, type Players, refusal, runWith, type Scene, type Shown } from "./scene.ts";
import { type Stage, writeProgram } from "./stage.ts";

export function deploy(stage: Stage): JsonObject {
  return { argv: ["./deploy.sh", "staging"], cwd: stage.project, agentId: "main", sessionKey: "demo" };
}

/** Kept from scene to scene: the first approval is asked for in one, used in the next and tried again in the third. */
export function openingScenes(asOperatorSees: (approval: Approval, players: Players) => readonly string[]): readonly Scene[] {
  let id = "";
  return [
    {
      title: "an agent asks to run `./deploy.sh staging`",
      async play(players) {
        const { stage, agent, operator } = players;
        const { message } = await refusal(agent.call("system.run", deploy(stage)), "approval.required");
        const asked = await agent.call("exec.approval.request", { ...deploy(stage), twoPhase: true });
        id = asked.id ?? "";
        const approval = await operator.call("exec.approval.get", { id });
        claim(approval.state === "pending", `the approval is ${approval.state}`);
        const says = `pending, because ${message.split(";")[0] ?? message}; the operator sees:`;
        return { says, screen: asOperatorSees(approval, players) };
      },
    },
    {
      title: "the operator allows it once, and it runs",
      async play({ stage, agent, operator }) {
        await operator.call("exec.approval.resolve", { id, decision: "allow-once" });
        const { exitCode, stdout } = await runWith(agent, deploy(stage), id);
        claim(exitCode === 0 && stdout === "deployed staging\n" && stage.runs() === 1, `exit ${exitCode}, ${stage.runs()} runs: ${stdout}`);
        return { says: `exit 0, it said "${stdout.trimEnd()}"` };
      },
    },
    {
      title: "the same approval, a second time",
      async play({ stage, agent }) {
        const { data } = await refusal(runWith(agent, deploy(stage), id), "approval.consumed");
        const { by, runId, consumedAtMs } = data;
        claim(stage.runs() === 1, "it ran again");
        if (typeof by !== "string" || typeof runId !== "string" || typeof consumedAtMs !== "number") {
          throw new NotAsClaimed("it does not say who and when");
        }
        const says = `allowed by ${by}, used at ${momentText(consumedAtMs)} by run ${runId.slice(0, 8)}`;
        return { says, code: "approval.consumed" };
      },
    },
  ];
}

/** Each gets an approval of its own for the honest thing, and then changes the thing. Nothing may run. */
export const CHEATS: readonly Scene[] = [
  {
    title: "a second approval, then one byte of the script is changed",
    async play(players) {
      const { stage, agent } = players;
      const id = await approvedOnce(players, deploy(stage));
      const honest = readFileSync(stage.script, "utf8");
      writeFileSync(stage.script, honest.replace("deployed", "Deployed"));
      const { data } = await refusal(runWith(agent, deploy(stage), id), "binding.executable-differs");
      writeFileSync(stage.script, honest);
      return nothingRan(stage, differing("binding.executable-differs", data));
    },
  },
  {
    title: "the approved directory is swapped for a symlink",
    async play(players) {
      const { stage, agent } = players;
      const id = await approvedOnce(players, deploy(stage));
      const elsewhere = join(stage.root, "elsewhere");
      renameSync(stage.project, elsewhere);
      symlinkSync(elsewhere, stage.project);
      const { data } = await refusal(runWith(agent, deploy(stage), id), "binding.cwd-differs");
      rmSync(stage.project);
      renameSync(elsewhere, stage.project);
      return nothingRan(stage, differing("binding.cwd-differs", data));
    },
  },
  {
    title: "another `release` is planted earlier on PATH",
    async play(players) {
      const { stage, agent } = players;
      const release = { ...deploy(stage), argv: ["release", "staging"] };
      const id = await approvedOnce(players, release);
      writeProgram(join(stage.earlyBin, "release"), "#!/bin/sh\necho owned\n");
      const { data } = await refusal(runWith(agent, release, id), "binding.executable-differs");
      rmSync(join(stage.earlyBin, "release"));
      return nothingRan(stage, differing("binding.executable-differs", data));
    },
  },
  {
    title: "the agent adds `LD_PRELOAD` to the environment",
    async play(players) {
      const { stage, agent } = players;
      const id = await approvedOnce(players, deploy(stage));
      const { message } = await refusal(runWith(agent, { ...deploy(stage), env: { LD_PRELOAD: "/tmp/evil.so" } }, id), "env.forbidden");
      claim(message.includes("LD_PRELOAD"), `the refusal does not name it: ${message}`);
      return nothingRan(stage, { says: message, code: "env.forbidden", field: "env.LD_PRELOAD" });
    },
  },
];

const RACERS = 50;

export const RACE: Scene = {
  title: `${RACERS} clients race for one approval`,
  async play(players) {
    const { stage, daemon } = players;
    const before = stage.runs();
    const id = await approvedOnce(players, deploy(stage));
    const racers = await Promise.all(Array.from({ length: RACERS }, () => daemon.connect("gateway")));
    try {
      const ends = await Promise.allSettled(racers.map((racer) => runWith(racer, deploy(stage), id)));
      const ran = ends.filter((end) => end.status === "fulfilled").length;
      const losers = ends.flatMap((end) => (end.status === "rejected" ? [refusal(Promise.reject(end.reason), "approval.consumed")] : []));
      await Promise.all(losers);
      claim(ran === 1 && stage.runs() === before + 1, `${ran} were told it ran, and it ran ${stage.runs() - before} times`);
      return { says: `${ran} ran, ${losers.length} were refused`, code: "approval.consumed" };
    } finally {
      for (const racer of racers) racer.close();
    }
  },
};

/** Everything but the honest first run was refused so far. */
function nothingRan(stage: Stage, shown: Shown): Shown {
  claim(stage.runs() === 1, "something ran");
  return shown;
}
