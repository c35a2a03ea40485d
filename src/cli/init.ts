import { homedir } from "node:os";
import { CallError } from "../client/call-error.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { twoColumns } from "./layout.ts";
import { painter } from "./paint.ts";

const NEXT: readonly (readonly [string, string])[] = [
  ["countersign daemon", "start it here"],
  ["countersign install --user", "or have it started for you"],
  ["countersign watch", "be the one who is asked"],
  ["countersign run --wait -- COMMAND", "ask for something"],
];

export async function run(call: CommandCall): Promise<number> {
  // Loaded here, since it brings the store with it, and only now is it known to be wanted.
  const { initState } = await import("../daemon/init.ts");
  const { io } = call;
  const done = await initState({ flag: call.text("state-dir"), env: io.env, home: io.env["HOME"] ?? homedir(), cwd: io.cwd });
  if (!done.ok) throw new CallError(done.failure.code, done.failure.message, done.failure.details);
  const { paths, made } = done.value;
  if (call.has("json")) {
    io.out(JSON.stringify({ stateDirectory: paths.directory, made }));
    return EXIT.ok;
  }
  const paint = painter(io.colour);
  for (const path of made) io.out(`made ${path}`);
  if (made.length === 0) io.out(`everything is there already in ${paths.directory}`);
  io.out("");
  io.out(paint.bold("next"));
  const width = Math.max(...NEXT.map(([line]) => line.length));
  for (const [line, does] of NEXT) for (const text of twoColumns(line, does, width, io.columns(), paint.cyan)) io.out(text);
  return EXIT.ok;
}
