import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { painter } from "./paint.ts";
import { labelledPath } from "./render-command.ts";
import { factLines } from "./render-facts.ts";
import { isStatus, statusLines } from "./render-status.ts";
import { installedUnit } from "./service/installed-unit.ts";
import { placeOf, withEitherRole } from "./session.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const status = await withEitherRole(call, (client) => client.call("status"));
  if (call.has("json")) {
    io.out(JSON.stringify(status));
    return EXIT.ok;
  }
  const paint = painter(io.colour);
  // A daemon of another version may say other things; they are shown as they come.
  const lines = isStatus(status) ? statusLines(status, paint, io.columns()) : factLines(status, paint, io.columns());
  const unit = installedUnit(placeOf(call), io.env);
  const service = unit === null ? [] : labelledPath("service", unit, io.columns(), paint);
  for (const line of [...lines, ...service]) io.out(line);
  return EXIT.ok;
}
