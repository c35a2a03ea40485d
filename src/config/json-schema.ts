import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { settingsSection } from "./settings-table.ts";

/** For editors: described by the very table that reads the file, so that neither knows a key that the other does not. */
export function settingsSchema(): JsonObject {
  const { properties, ...rest } = settingsSection.schema;
  const { agents, ...others } = isJsonObject(properties) ? properties : {};
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "countersign.json5",
    ...rest,
    // What an agent leaves out is as it is for all of them, so nothing has a default of its own there.
    properties: { ...others, agents: withoutDefaults(agents) },
  };
}

/** A schema is an object too, and one of a key that is called `default` stays. */
function withoutDefaults(value: JsonValue | undefined): JsonValue {
  if (isJsonObject(value)) {
    const kept = Object.entries(value).filter(([name, each]) => name !== "default" || isJsonObject(each));
    return Object.fromEntries(kept.map(([name, each]) => [name, withoutDefaults(each)]));
  }
  return isList(value) ? value.map(withoutDefaults) : (value ?? null);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
