/** Documents that say more than they should, or say it badly: nothing may run on the strength of one. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import { countersign } from "../../support/countersign.ts";
import { startTestDaemon } from "../../support/daemon.ts";
import { smallDisk } from "../../support/full-disk.ts";
import { approve } from "../../support/session.ts";
import { tryStart } from "../../support/try-start.ts";
import { type Attack, objects, shown, text } from "../attack.ts";
import { type Ground, plant } from "../ground.ts";
import { outcomeOf } from "../outcome.ts";
import { filledValue } from "../placeholders.ts";
import type { Player } from "../player.ts";
import { type Scene, type Stage, sceneOf } from "../stage.ts";
import { playFs } from "./fs.ts";

export const playStore: Player = async (attack, ground, stage) => {
  const stateDir = stage.stateDirOf(attack);
  const store = filledValue(attack.given["store"], { ...ground.names, STATE: stateDir });
  if (typeof store === "string") return withDocument(attack, store, ground, stage);
  if (!isJsonObject(store)) throw new Error(`nothing here plays ${JSON.stringify(store)}`);
  if (store["fs"] !== undefined) return playFs({ ...attack, given: { fs: store["fs"] } }, ground, stage);
  if (store["steps"] !== undefined)
    return editing(
      attack,
      objects(store["steps"]).map((step) => text(step["op"])),
      stage,
    );
  if (store["fault"] !== undefined) return consuming(text(store["fault"]), ground);
  if (store["generate"] !== undefined) return withDocument(attack, { generate: text(store["generate"]) }, ground, stage);
  return withDocument(attack, JSON.stringify(store), ground, stage);
};

/** The daemon refuses to start on it, or denies; and leaves it as it is where it is broken. */
async function withDocument(
  attack: Attack,
  document: string | { readonly generate: string },
  ground: Ground,
  stage: Stage,
): Promise<readonly string[]> {
  const stateDir = stage.stateDirOf(attack);
  const path = join(stateDir, "exec-approvals.json");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  if (typeof document === "string") writeFileSync(path, document, { mode: 0o600 });
  else plant({ path, generate: document.generate, mode: "0600" }, ground);
  const before = typeof document === "string" ? document : null;
  const start = await tryStart({ stateDir });
  if (!("running" in start)) {
    const untouched = before === null || isWhole(readFileSync(path, "utf8"), before);
    return [
      ...(start.exitCode === 78 ? [] : [`it ended with ${start.exitCode}: ${start.log}`]),
      ...(untouched ? [] : ["the document was changed"]),
    ];
  }
  try {
    const scene = await sceneOf(start.running, false);
    const found = await probes(scene, ground, document);
    scene.leave();
    // One star is how an operator says that he means everything; it is said back to him, and any other way to say it means nothing.
    return typeof document === "string" && /"pattern":"\*"/.test(document) && (await isFlagged(stateDir)) ? [] : found;
  } finally {
    await start.running.stop();
  }
}

async function isFlagged(stateDir: string): Promise<boolean> {
  const { stdout, stderr } = await countersign(["allowlist", "lint", "--state-dir", stateDir]);
  return `${stdout}${stderr}`.includes("*");
}

/** As it was, but for the token that a document without one gets on its first start. */
function isWhole(now: string, before: string): boolean {
  return now === before || now.replace(/,?\s*"token":\s*"[\w-]{32}"/, "").replace(/\s/g, "") === before.replace(/\s/g, "");
}

/** Whoever asks, and under whatever name the program comes: nothing that marks may run. */
async function probes(
  { gateway, daemon }: Scene,
  ground: Ground,
  document: string | { readonly generate: string },
): Promise<readonly string[]> {
  for (const name of namesIn(document)) writeFileSync(join(ground.tmp, name), `#!/bin/sh\ntouch ${ground.mark}\n`, { mode: 0o755 });
  const planted = namesIn(document).flatMap((name) => [[name], [`./${name}`], [join(ground.tmp, name)]]);
  const found: string[] = [];
  for (const argv of [["/usr/bin/touch", ground.mark], ["touch", ground.mark], ["/bin/sh", "-c", `touch ${ground.mark}`], ...planted]) {
    for (const agentId of ["main", "guest", "constructor"]) {
      for (const more of [{}, { wait: true, approvalTimeoutMs: 1000 }]) {
        const outcome = outcomeOf(await gateway.call("system.run", { argv, cwd: ground.tmp, agentId, ...more }));
        if (outcome.decision === "allow" && ground.marked()) found.push(`${argv.join(" ")} ran for ${agentId} by ${daemon.stateDir}`);
        ground.unmark();
      }
    }
  }
  return found;
}

/** Bare names that the document lists: programs of these names are planted where an agent could put them. */
function namesIn(document: string | { readonly generate: string }): readonly string[] {
  if (typeof document !== "string") return [];
  return [...document.matchAll(/"pattern":"([\w.-]+)"/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** Read, taken away, written: what is gone is not brought back by somebody who last saw it there. */
async function editing(attack: Attack, steps: readonly string[], stage: Stage): Promise<readonly string[]> {
  const { operator, daemon } = await stage.own(attack);
  const path = join(daemon.stateDir, "exec-approvals.json");
  let seen: JsonObject = {};
  const found: string[] = [];
  for (const step of steps) {
    if (step === "get") seen = await operator.must("exec.approvals.get");
    else if (step === "deleteFile") rmSync(path);
    else if (/^(edit|editFile|externalEdit|externalWrite|touch)$/.test(step)) writeFileSync(path, `${readFileSync(path, "utf8")}\n`);
    else if (step === "set") {
      const existed = existsSync(path);
      const answer = await operator.call("exec.approvals.set", { document: seen["document"] ?? {}, baseHash: text(seen["hash"]) });
      if (answer.ok) found.push("the change went through");
      else if (!["state.conflict", "state.corrupt"].includes(answer.code)) found.push(`refused as ${answer.code}`);
      if (!existed && existsSync(path)) found.push("the file was made anew");
    } else throw new Error(`nothing here plays the step \`${step}\``);
  }
  return found;
}

const APPROVALS = 20;

/** A disk that takes nothing any more: whatever ran was used up durably before, and in the end nothing runs. */
async function consuming(fault: string, ground: Ground): Promise<readonly string[]> {
  if (!/EROFS|ENOSPC|EDQUOT|EIO|EFBIG/.test(fault)) throw new Error(`nothing here can make \`${fault}\``);
  const disk = smallDisk();
  const daemon = await startTestDaemon({ stateDir: disk.stateDir });
  try {
    const { gateway, operator } = await sceneOf(daemon, true);
    const params = { argv: ["/usr/bin/touch", ground.mark], cwd: ground.tmp };
    const ids = await Promise.all(Array.from({ length: APPROVALS }, () => approve(gateway, operator, params)));
    disk.fill(daemon.process.pid ?? 0);
    const ran: string[] = [];
    let refused: string | null = null;
    for (const id of ids) {
      ground.unmark();
      const outcome = outcomeOf(await gateway.call("system.run", { ...params, approvalId: id }));
      if (outcome.decision === "allow") ran.push(id);
      else refused ??= outcome.code;
      if (outcome.decision !== "allow" && ground.marked()) return [`it ran and was answered with ${outcome.words}`];
    }
    disk.relieve(daemon.process.pid ?? 0);
    const found = refused === "state.io" ? [] : [`refused as ${refused}`];
    for (const id of ran) {
      const { state } = await operator.must("exec.approval.get", { id });
      if (state !== "consumed") found.push(`${id} ran and is ${shown(state)}`);
    }
    return found;
  } finally {
    await daemon.stop();
    disk.remove();
  }
}
