import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { must } from "./must.ts";

export async function run(call: CommandCall): Promise<number> {
  const { serveDaemon } = await import("../daemon/serve.ts");
  const served = await serveDaemon({
    stateDir: call.text("state-dir"),
    socket: call.text("socket"),
    config: call.text("config"),
    allowRoot: call.has("allow-root"),
    allowUnattended: call.has("allow-unattended"),
    env: process.env,
    cwd: call.io.cwd,
  });
  must(served);
  return EXIT.ok;
}
