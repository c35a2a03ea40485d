import { describe, expect, test } from "vitest";
import { settingsSchema } from "../../src/config/json-schema.ts";
import { parseSettings } from "../../src/config/settings.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";

/** Values where the schema alone does not say enough to make one up. */
const SAMPLES: Readonly<Record<string, JsonValue>> = {
  id: "a", workspace: "~/w", path: "/opt/x", allow: [], deny: [], allowedOrigins: ["https://*.a.example"], deniedOrigins: [],
  allowedDomains: ["*.a.example", "10.0.0.0/8"], deniedDomains: [], safeBinTrustedDirs: ["/bin"], pathPrepend: ["/opt"],
}; // biome-ignore format: a table

/** A value that the schema describes, with every key it knows. */
function sampleOf(schema: JsonObject, key: string): JsonValue {
  const own = SAMPLES[key];
  if (own !== undefined && schema["type"] !== "object" && !(key === "path" && schema["type"] === "array")) return own;
  if (key === "path") return ["/opt"];
  const [first] = objectsIn(schema["anyOf"]);
  if (first !== undefined) return sampleOf(first, key);
  if (Array.isArray(schema["enum"])) return textOr(schema["enum"][0]);
  switch (schema["type"]) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
    case "string":
      return "some_text";
    case "array":
      return isJsonObject(schema["items"]) ? [sampleOf(schema["items"], "")] : [];
    case "object":
      return sampleObject(schema);
    default:
      return { anything: "at all" };
  }
}

function sampleObject(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const known = Object.entries(properties).map(([key, each]) => [key, sampleOf(isJsonObject(each) ? each : {}, key)] as const);
  const others = schema["additionalProperties"];
  return { ...(isJsonObject(others) ? { "some-name": sampleOf(others, "") } : {}), ...Object.fromEntries(known) };
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The same sample with one key more, for every section that takes no other keys. */
function withIntruders(
  sample: JsonValue,
  schema: JsonObject,
  path: string,
): readonly { readonly path: string; readonly value: JsonValue }[] {
  const [first] = objectsIn(schema["anyOf"]);
  if (first !== undefined) return withIntruders(sample, first, path);
  if (schema["type"] === "array" && Array.isArray(sample) && isJsonObject(schema["items"])) {
    const [item] = sample;
    if (item === undefined || !isJsonObject(item)) return [];
    return withIntruders(item, schema["items"], `${path}[0]`).map((each) => ({ path: each.path, value: [each.value] }));
  }
  if (!isJsonObject(sample) || !isJsonObject(schema["properties"])) return [];
  const own =
    schema["additionalProperties"] === false
      ? [{ path: path === "" ? "intruder" : `${path}.intruder`, value: { ...sample, intruder: 1 } }]
      : [];
  const inner = Object.entries(schema["properties"]).flatMap(([key, each]) =>
    withIntruders(sample[key] ?? null, isJsonObject(each) ? each : {}, path === "" ? key : `${path}.${key}`).map((found) => ({
      path: found.path,
      value: { ...sample, [key]: found.value },
    })),
  );
  return [...own, ...inner];
}

describe("the schema for editors", () => {
  const schema = settingsSchema();
  const sample = sampleOf(schema, "");

  test("knows no key that the daemon refuses", () => {
    const settings = parseSettings(JSON.stringify(sample), "sample");
    expect(settings.ok ? "" : JSON.stringify(settings.failure.details["problems"])).toBe("");
  });

  test("refuses an unknown key in every section where the daemon refuses it", () => {
    const intruders = withIntruders(sample, schema, "");
    expect(intruders.length).toBeGreaterThan(40);
    for (const { path, value } of intruders) {
      const settings = parseSettings(JSON.stringify(value), "sample");
      expect(settings.ok ? "" : settings.failure.message).toContain(`\`${path}\` is not a known key`);
    }
  });

  test("describes every key it knows", () => {
    const undescribed = (each: JsonObject, path: string): readonly string[] => [
      ...(each["description"] === undefined && each["anyOf"] === undefined ? [path] : []),
      ...Object.entries(isJsonObject(each["properties"]) ? each["properties"] : {}).flatMap(([key, inner]) =>
        isJsonObject(inner) ? undescribed(inner, `${path}.${key}`) : [],
      ),
    ];
    expect(undescribed(schema, "")).toEqual([]);
  });
});
