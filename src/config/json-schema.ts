import type { JsonObject } from "../core/json.ts";
import { settingsSection } from "./settings-table.ts";

/** For editors: described by the very table that reads the file, so that neither knows a key that the other does not. */
export function settingsSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "countersign.json5",
    ...settingsSection.schema,
  };
}
