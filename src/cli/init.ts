import { homedir } from "node:os";
import { CallError } from "../client/call-error.ts";
import type { CommandCall } from "./command.ts";

export async function run(call: CommandCall): Promise<number> {
  const { initState } = await import("../daemon/init.ts");
  const { io } = call;
  const done = await initState({ flag: call.text("state-dir"), env: io.env, home: io.env["HOME"] ?? homedir(), cwd: io.cwd });
  if (!done.ok) throw new CallError(done.failure.code, done.failure.message, done.failure.details);
  const { paths, made } = done.value;
  if (call.has("json")) {
    io.out(JSON.stringify({ stateDirectory: paths.directory, made }));
    return 0;
  }
  for (const path of made) io.out(`made ${path}`);
  if (made.length === 0) io.out(`everything is there already in ${paths.directory}`);
  io.out("Next: start the daemon with `countersign daemon`, or install it with `countersign install --user`.");
  return 0;
}
