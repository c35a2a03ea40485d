/** Commands judged by a policy alone: shell text, argv, stdin and environment overrides, as an agent would send them. */
import { spawnSync } from "node:child_process";
import type { JsonObject } from "../../../src/core/json.ts";
import { type Attack, text, texts } from "../attack.ts";
import { type Ground, plantAll } from "../ground.ts";
import { complaints, type Outcome, outcomeOf, unfitWords } from "../outcome.ts";
import { filled } from "../placeholders.ts";
import type { Player } from "../player.ts";
import type { Scene } from "../stage.ts";

const PLAYED = new Set(["command", "shell", "argv", "policy", "env", "files", "stdin", "path", "cwd"]);

export const playJudged: Player = async (attack, ground, stage) => {
  const scene = await stage.shared();
  const given = filled(attack.given, { ...ground.names, STATE: scene.daemon.stateDir, SOCK: scene.daemon.socketPath });
  const unknown = Object.keys(given).filter((name) => !PLAYED.has(name));
  if (unknown.length > 0) throw new Error(`nothing here plays \`${unknown.join("`, `")}\``);
  const refusal = stage.refusalOf(attack);
  if (refusal !== null) return attack.expect.decisions?.includes("deny") === true ? [] : [`the daemon would not start: ${refusal}`];
  plantAll(given["files"], ground);
  const about = { cwd: given["cwd"] === undefined ? ground.tmp : text(given["cwd"]), agentId: stage.agentOf(attack) };

  const found: string[] = [];
  for (const form of formsOf(attack, given)) {
    const params = { ...form, ...about };
    const outcome = outcomeOf(await scene.gateway.call("system.run", params));
    found.push(...complaints(attack, outcome, ground), ...unfitWords(outcome));
    if (attack.isPolicyChoice) found.push(...(await silence(scene, params, outcome)));
    if (attack.expect.decisions?.includes("allow") === true) found.push(...differencesFromShell(given, ground, outcome));
  }
  return found;
};

/** Text is tried as it is and as `bash -c text`: what the one refuses the other must not let through. */
function formsOf({ family }: Attack, given: JsonObject): readonly JsonObject[] {
  const { env, stdin, command, argv, shell } = given;
  const more = { ...(env === undefined ? {} : { env }), ...(stdin === undefined ? {} : { stdin }) };
  if (argv !== undefined) return [{ argv: texts(argv), ...more }];
  const asText = { command: text(command), ...more };
  return family === "control" || shell === undefined ? [asText] : [asText, { argv: [text(shell), "-c", text(command)], ...more }];
}

/** Whichever way it was decided, someone who asks is told by which rule. */
async function silence(scene: Scene, params: JsonObject, outcome: Outcome): Promise<readonly string[]> {
  if (outcome.decision !== "allow") return outcome.code === null ? ["refused without a code"] : [];
  const prepared = await scene.gateway.must("system.run.prepare", params);
  const shown = JSON.stringify(prepared["decision"]);
  return /"matchedBy":\{"kind":"[a-z-]+","pattern":"[^"]+","source":"[^"]+"/.test(shown)
    ? []
    : [`allowed, and nothing says by which rule: ${shown}`];
}

/** Allowed means really run: the same output and exit status that the shell gives in the same directory. */
function differencesFromShell(given: JsonObject, ground: Ground, outcome: Outcome): readonly string[] {
  if (outcome.decision !== "allow") return [];
  const { command, shell } = given;
  const env = { PATH: "/usr/bin:/bin", HOME: ground.tmp, LANG: "C.UTF-8" };
  const real = spawnSync(text(shell ?? "sh"), ["-c", text(command)], { cwd: ground.tmp, env, encoding: "utf8", input: "" });
  const { stdout, exitCode } = outcome.data;
  if (real.error !== undefined || (stdout === real.stdout && exitCode === real.status)) return [];
  return [
    `it ran as ${JSON.stringify({ stdout, exitCode })} and in the shell as ${JSON.stringify({ stdout: real.stdout, exitCode: real.status })}`,
  ];
}
