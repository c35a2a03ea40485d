import { homedir } from "node:os";
import { shownWord } from "../wire/display.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { twoColumns } from "./layout.ts";
import { must } from "./must.ts";
import { painter } from "./paint.ts";
import { tell } from "./tell.ts";

function nextSteps(call: CommandCall): readonly (readonly [string, string])[] {
  const given = call.text("state-dir");
  const where = given === undefined ? "" : ` --state-dir ${shownWord(given)}`;
  // As root the daemon wants to be told that commands shall have all of root's power.
  const root = process.geteuid?.() === 0 ? " --allow-root" : "";
  return [
    [`countersign daemon${where}${root}`, "start it here"],
    [`countersign install --user${where}`, "or have it started for you"],
    [`countersign watch${where}`, "be the one who is asked"],
    [`countersign run${where} --wait -- COMMAND`, "ask for something"],
  ];
}

export async function run(call: CommandCall): Promise<number> {
  // Loaded here, since it brings the store with it, and only now is it known to be wanted.
  const { initState } = await import("../daemon/init.ts");
  const { io } = call;
  const surroundings = { flag: call.text("state-dir"), env: io.env, home: io.env["HOME"] ?? homedir(), cwd: io.cwd };
  const { paths, made } = must(await initState(surroundings));
  if (call.has("json")) {
    io.out(JSON.stringify({ stateDirectory: paths.directory, made }));
    return EXIT.ok;
  }
  const paint = painter(io.colour);
  for (const path of made) tell(io, `made ${path}`);
  if (made.length === 0) tell(io, `everything is there already in ${paths.directory}`);
  io.out("");
  io.out(paint.bold("next"));
  const steps = nextSteps(call);
  const width = Math.max(...steps.map(([line]) => line.length));
  for (const [line, does] of steps) for (const text of twoColumns(line, does, width, io.columns(), paint.cyan)) io.out(text);
  return EXIT.ok;
}
