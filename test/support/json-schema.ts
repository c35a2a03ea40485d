/** Just enough of JSON Schema 2020-12 to hold our own documents against frames; an unknown word is an error, not a pass. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";

export function violations(schema: JsonObject, value: JsonValue | undefined, path = "$"): readonly string[] {
  return Object.entries(schema).flatMap(([word, rule]) => violationsOf(word, rule ?? null, schema, value ?? null, path));
}

function violationsOf(word: string, rule: JsonValue, schema: JsonObject, value: JsonValue, path: string): readonly string[] {
  const fail = (holds: boolean): readonly string[] => (holds ? [] : [`${path}: ${word} ${JSON.stringify(rule)}`]);
  const schemas = Array.isArray(rule) ? rule.filter(isJsonObject) : [];
  const passes = (each: JsonObject): boolean => violations(each, value, path).length === 0;
  switch (word) {
    case "type":
      return fail(typesOf(value).some((type) => type === rule));
    case "const":
      return fail(JSON.stringify(value) === JSON.stringify(rule));
    case "enum":
      return fail(Array.isArray(rule) && rule.includes(value));
    case "minLength":
      return fail(typeof value !== "string" || Array.from(value).length >= Number(rule));
    case "maxLength":
      return fail(typeof value !== "string" || Array.from(value).length <= Number(rule));
    case "pattern":
      return fail(typeof value !== "string" || (typeof rule === "string" && new RegExp(rule, "u").test(value)));
    case "minimum":
      return fail(typeof value !== "number" || value >= Number(rule));
    case "maximum":
      return fail(typeof value !== "number" || value <= Number(rule));
    case "minItems":
      return fail(!Array.isArray(value) || value.length >= Number(rule));
    case "maxItems":
      return fail(!Array.isArray(value) || value.length <= Number(rule));
    case "items":
      return Array.isArray(value) && isJsonObject(rule)
        ? value.flatMap((item: JsonValue, at) => violations(rule, item, `${path}[${at}]`))
        : [];
    case "required":
      return fail(
        !isJsonObject(value) || (Array.isArray(rule) && rule.every((name) => typeof name === "string" && Object.hasOwn(value, name))),
      );
    case "properties":
      return !isJsonObject(value) || !isJsonObject(rule)
        ? []
        : Object.entries(rule).flatMap(([name, each]) =>
            Object.hasOwn(value, name) && isJsonObject(each) ? violations(each, value[name], `${path}.${name}`) : [],
          );
    case "additionalProperties":
      return isJsonObject(value) ? additional(rule, schema["properties"], value, path) : [];
    case "anyOf":
      return fail(schemas.some(passes));
    case "allOf":
      return schemas.flatMap((each) => violations(each, value, path));
    case "oneOf":
      return fail(schemas.filter(passes).length === 1);
    case "not":
      return fail(!isJsonObject(rule) || !passes(rule));
    case "$schema":
    case "$id":
    case "title":
    case "description":
      return [];
    default:
      throw new Error(`${word} is not a word that our documents use`);
  }
}

function additional(rule: JsonValue, properties: JsonValue | undefined, value: JsonObject, path: string): readonly string[] {
  const known = isJsonObject(properties) ? properties : {};
  return Object.entries(value).flatMap(([name, each]) => {
    if (Object.hasOwn(known, name)) return [];
    if (rule === false) return [`${path}.${name}: is one too many`];
    return isJsonObject(rule) ? violations(rule, each, `${path}.${name}`) : [];
  });
}

function typesOf(value: JsonValue): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["number", "integer"] : ["number"];
  return [typeof value];
}
