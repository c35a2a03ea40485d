/** `countersign policy schema`: JSON Schema of the settings file, for editors. */
import { settingsSchema } from "../../config/json-schema.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";

export function run(call: CommandCall): Promise<number> {
  call.io.out(JSON.stringify(settingsSchema(), null, call.has("json") ? 0 : 2));
  return Promise.resolve(EXIT.ok);
}
